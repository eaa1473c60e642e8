"""Lessons from finished tasks of sessions, and how they are written into the skills of a learning space."""
