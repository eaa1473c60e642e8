"""Pages of learning spaces, of the sessions they learn from, and of people."""
