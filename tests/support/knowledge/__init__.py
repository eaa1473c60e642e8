"""Knowledge bases as tests fill and search them."""
