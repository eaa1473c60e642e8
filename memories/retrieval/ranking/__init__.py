"""Features, weights, the ranker, and what becomes of its order."""
