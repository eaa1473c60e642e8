"""Sentences, clauses, and what kind of thing each says."""
