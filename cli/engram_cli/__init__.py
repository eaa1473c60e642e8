"""The command `engram`, which calls a server through engram_client and imports nothing of it."""
