"""Pages of what an account used, stores and may use."""
