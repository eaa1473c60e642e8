"""Views of `/api/v1`, by what they answer."""
