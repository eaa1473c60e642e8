"""What a text is about: topics that words belong to, tags and titles."""
