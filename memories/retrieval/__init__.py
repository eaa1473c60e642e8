"""Search and lists of memories, recall tests and saved views; nothing here changes what a memory says."""
