"""Measurements of a whole running Engram. Every module starts an installation of its own and measures that."""
