"""Backup of a running installation into a folder, and restore of such a folder into an empty installation."""
