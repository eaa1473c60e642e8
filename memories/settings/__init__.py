"""What a project sets about extraction, searches and its trash."""
