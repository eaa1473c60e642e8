"""The console API, `/api/console/v1`: keys, usage and request logs of a key's own project."""
