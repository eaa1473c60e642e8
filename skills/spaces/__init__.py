"""Learning spaces and what is listed of them."""
