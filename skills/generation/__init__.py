"""Skills generated from conversations: when, from what, and how they are written."""
