"""Bodies of requests: their size, JSON, forms and uploaded files."""
