"""People whom a client names by its own identifiers."""
