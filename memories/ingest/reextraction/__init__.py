"""Memories made anew from stored messages: runs of it, the comparison of old and new, and undoing a run."""
