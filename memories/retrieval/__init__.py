"""Search and lists of memories. What is written here: recall counts, embeddings, recall tests and saved views."""
