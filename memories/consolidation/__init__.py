"""Keeping memories true: comparing, merging, superseding, versions, provenance."""
