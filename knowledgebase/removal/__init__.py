"""Files, memories and whole bases deleted, and what was left behind cleaned up."""
