"""Background tasks of a project."""
