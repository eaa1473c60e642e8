"""Measurements of requests: their cost beside the work that they ask for."""
