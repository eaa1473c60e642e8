"""Rows of cubes that a process keeps between searches."""
