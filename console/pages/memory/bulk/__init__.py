"""One action on many memories: its dialog, its progress, its receipt."""
