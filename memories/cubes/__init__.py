"""Which cubes (containers of memories) a caller may use, and how others learn that one changed."""
