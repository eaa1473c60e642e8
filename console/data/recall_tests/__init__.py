"""Recall tests run again after the settings or the model of searches changed."""
