"""The scopes that an API key may have."""

from __future__ import annotations

MEMORY_SCOPES = ("read", "write", "delete", "knowledge", "chat")
# Of the project itself. "all" has none of them, so that no key out there can suddenly do more.
ADMINISTRATION_SCOPES = ("keys", "usage", "logs")
SCOPES = (*MEMORY_SCOPES, "all", *ADMINISTRATION_SCOPES)
