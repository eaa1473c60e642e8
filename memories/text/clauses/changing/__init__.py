"""What a later statement says is over, has another name or amount, or is another habit now."""
