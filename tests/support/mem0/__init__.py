"""mem0's published clients, unchanged, in processes of their own."""
