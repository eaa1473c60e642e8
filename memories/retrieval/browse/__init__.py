"""What members look through page by page: end users and conversations. Searches and single memories are not in here."""
