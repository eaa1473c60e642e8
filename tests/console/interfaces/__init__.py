"""Clients of other protocols than REST, each with the published client of that protocol."""
