"""Search and lists of memories. Nothing here writes, but for recall counts and embeddings."""
