"""Which cubes (containers of memories) a caller may use, and the markers that tell when one changed."""
