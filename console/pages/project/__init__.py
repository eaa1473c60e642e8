"""Pages of a project: quickstart, keys, settings, model provider, sample data, re-extraction, archiving, deletion."""
