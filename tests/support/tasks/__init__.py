"""Tasks and rows, as tests make them and look at them."""
