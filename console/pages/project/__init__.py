"""Pages of a project: quickstart, logs, usage, settings, its deletion."""
