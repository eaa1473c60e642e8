"""The documentation, and one search box over everything in a project."""
