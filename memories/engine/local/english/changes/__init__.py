"""What takes the place of what was said before: corrections, counts, ends."""
