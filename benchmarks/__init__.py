"""Measurements of a whole running Engram: every module starts an installation of its own."""
