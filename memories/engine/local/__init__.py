"""Engines that come with Engram and need no other server: rules for two languages, an embedding model, a reranker."""
