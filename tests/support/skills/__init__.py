"""Skills, sessions and lessons as tests make them."""
