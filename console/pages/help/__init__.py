"""The landing page, the documentation, the style guide, and one search box over everything in a project."""
