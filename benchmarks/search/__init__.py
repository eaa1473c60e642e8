"""Measurements of searches: their time by what is searched, and what they find."""
