"""Reusable methods: generated from conversations, uploaded as packages, learned in spaces."""
