"""The task on a file: its claim, its progress, its turn, its retry, the project that does it."""
