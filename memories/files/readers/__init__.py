"""Readers of file formats, one module each, which run in the child process only."""
