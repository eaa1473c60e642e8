"""Scoring of search candidates: features, weights, the ranker, and what is dropped from its order."""
