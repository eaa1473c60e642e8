"""Engram behind the interfaces of agent frameworks, one module each. None is imported by the client itself."""
