"""Sessions of agents and their messages."""
