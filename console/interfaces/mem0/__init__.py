"""The wire contract of mem0's published clients, on the bare host and under `/api/mem0`; no rules of its own."""
