"""Deletion of a project or an account across all apps, with a receipt."""
