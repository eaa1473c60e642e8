"""What only English needs."""
