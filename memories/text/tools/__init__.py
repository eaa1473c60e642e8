"""Conversations with tools: which tools there are, how they were used, and what came of it, in English and Chinese."""
