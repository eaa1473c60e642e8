"""Backups and deletions."""
