"""The command `engram`. It calls a server through engram_client and imports nothing of it."""
