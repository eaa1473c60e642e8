"""What takes the place of what was said before: corrections and counts."""
