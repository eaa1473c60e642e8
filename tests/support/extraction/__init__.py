"""Extraction of single messages, by the rules and by a model that a test plays."""
