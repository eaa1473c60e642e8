"""From messages to memories: accepting, refining, attached files. Nothing here searches."""
