"""Adapters of the Python client, behind the frameworks' published packages."""
