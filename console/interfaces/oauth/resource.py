"""The protected resource that tokens are issued for: the MCP endpoint of this installation."""

from __future__ import annotations

from django.conf import settings

PATH = "/mcp"


def get_resource_uri() -> str:
    """The URI that tokens are bound to (RFC 8707)."""
    return f"{settings.PUBLIC_URL}{PATH}"


def get_metadata_uri() -> str:
    """Return where a client finds out which server issues tokens for it (RFC 9728)."""
    return f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{PATH}"
