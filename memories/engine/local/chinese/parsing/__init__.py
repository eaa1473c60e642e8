"""Sentences, clauses, words and the subjects of clauses."""
