"""Request logs: the list, one request with its trace, and downloads."""
