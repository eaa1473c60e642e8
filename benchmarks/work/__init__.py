"""Measurements of background work: claims, files, learning, several tenants and hosts."""
