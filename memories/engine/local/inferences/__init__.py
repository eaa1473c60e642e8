"""Preferences that nobody states: from a choice among offers, and from what is done again and again."""
