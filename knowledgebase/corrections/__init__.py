"""Corrections of a base by people, and how one is reverted."""
