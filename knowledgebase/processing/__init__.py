"""A stored file becomes memories: fetched, parsed, split, embedded, shown."""
