"""Copies and deletions of a whole installation, account or project: backup, restore, erasure."""
