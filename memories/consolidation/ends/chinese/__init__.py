"""What a later statement in Chinese says is over."""
