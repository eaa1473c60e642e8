"""Engines that come with Engram and need no other server: rules for two languages and an embedding model."""
