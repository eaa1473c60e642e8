"""Long-term memory: conversations in, facts, preferences, tool experience and documents out, kept true over time."""
