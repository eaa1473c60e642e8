"""Pages of what is remembered: memories, conversations, end users, health, the playground."""
