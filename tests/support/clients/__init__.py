"""Clients other than plain HTTP: the command line, MCP, mem0, TypeScript."""
