"""Pages of what a project does: overview, request logs, background tasks."""
