"""On whose behalf an MCP request speaks: the end user and the agent, from headers or the address."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from tenancy.api.identify_sender import Scope, decode_header, read_header

USER_HEADER, AGENT_HEADER = b"x-engram-user", b"x-engram-agent"
# In the ASGI scope: the REST API as the caller's key reaches it, the key, and the mail address of the member whose
# OAuth token it is.
API, KEY, MEMBER = "engram.mcp_api", "engram.mcp_key", "engram.mcp_member"
NO_USER = (
    "[40002] Required field cannot be empty: user_id. Set the header `X-Engram-User`, or add `?user_id=...` to the "
    "address of this MCP server."
)


@dataclass(frozen=True, slots=True)
class Caller:
    """The end user and the agent of all calls of one connection; "" where none is named."""

    user: str
    agent: str

    @classmethod
    def of(cls, scope: Scope) -> Caller:
        """Build the caller. Where neither is named, the member who let the application in is the user."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))

        def named(wanted: bytes, parameter: str) -> str:
            return decode_header(read_header(scope, wanted)) or query.get(parameter, [""])[0]

        user, agent = named(USER_HEADER, "user_id"), named(AGENT_HEADER, "agent_id")
        return cls(user or ("" if agent else scope.get(MEMBER, "")), agent)

    @property
    def is_named(self) -> bool:
        return bool(self.user or self.agent)

    def get_subject(self) -> dict[str, str]:
        """Return whose memories are read: those of the user, or of the agent where no user is named."""
        return {"user_id": self.user} if self.user else {"agent_id": self.agent}

    def get_author(self) -> dict[str, str]:
        """The user and agent to whom written memories are attributed."""
        return {name: value for name, value in (("user_id", self.user), ("agent_id", self.agent)) if value}

    def get_conversation(self, arguments: Mapping[str, Any]) -> str:
        """The conversation's id as the published server makes it, so that both continue the same conversation."""
        first = str(arguments.get("conversation_first_message", ""))
        named = f"{self.user or self.agent}\n{first}".encode()
        return hashlib.md5(named, usedforsecurity=False).hexdigest()
