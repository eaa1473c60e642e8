"""Calibration of the relevance of short statements for one embedding model: labelled set, fit, result."""
