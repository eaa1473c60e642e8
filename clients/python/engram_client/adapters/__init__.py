"""Engram behind the interfaces of agent frameworks, one module each; the client itself imports none."""
