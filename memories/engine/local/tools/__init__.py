"""Memories of tools: which there are, how they were used, and what came of it. Rules for English and Chinese."""
