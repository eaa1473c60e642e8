"""mem0's published Python client, unchanged, in a process of its own."""
