"""Labelled conversations as data files."""
