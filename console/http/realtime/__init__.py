"""Websockets: update events for open pages."""
