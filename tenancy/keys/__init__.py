"""API keys: made, recognised, restricted, changed, and the mails about them."""
