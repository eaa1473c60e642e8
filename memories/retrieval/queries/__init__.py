"""What a search asks for: its text parsed, its filters compiled, its vectors."""
