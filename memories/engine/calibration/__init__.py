"""Calibration of the relevance of short statements for one embedding model: fitted from a labelled set, kept in a file.

Lines of transcripts, passages and skills have formulas of their own in `memories/retrieval/ranking/fitted_weights.py`.
"""
