"""Pages of what a project does."""
