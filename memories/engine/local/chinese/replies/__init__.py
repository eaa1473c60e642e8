"""Short answers and the questions that they answer."""
