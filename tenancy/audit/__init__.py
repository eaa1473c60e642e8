"""Who changed what, and from which request or task."""
