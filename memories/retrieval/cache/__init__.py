"""Rows of cubes kept in the process between searches."""
