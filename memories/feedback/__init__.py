"""What people say about memories, applied: corrections, replacements, requests to forget."""
