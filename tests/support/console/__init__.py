"""Pages and operators as tests use them."""
