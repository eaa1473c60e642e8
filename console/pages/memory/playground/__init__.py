"""The playground: one search, run as the API runs it, with all that the search decided."""
