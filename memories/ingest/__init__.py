"""From messages to memories: accepting, refining, attached files, but no search."""
