"""Tests of every page, and of what holds for all of them."""
