"""Pages of memories: list, drawer, recall, deletion, trash."""
