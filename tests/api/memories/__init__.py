"""Memories: searched, listed, filtered, changed, deleted."""
