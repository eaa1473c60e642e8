"""Pages of what is remembered."""
