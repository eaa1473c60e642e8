"""The documentation and the search box."""
