"""What tokens are for: the MCP endpoint of this installation, and the scopes of API keys."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext_lazy as _

PATH = "/mcp"
SCOPES = {
    "read": _("Search and read memories and skills"),
    "write": _("Store and change memories"),
    "delete": _("Delete memories"),
    "knowledge": _("Read and change knowledge bases"),
}
# Asked for by habit; they give nothing here.
IGNORED_SCOPES = ("openid", "profile", "email", "offline_access")


def get_resource_uri() -> str:
    """The URI that tokens are bound to (RFC 8707)."""
    return f"{settings.PUBLIC_URL}{PATH}"


def get_metadata_uri() -> str:
    """Where a client finds out which server issues tokens for it (RFC 9728)."""
    return f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{PATH}"
