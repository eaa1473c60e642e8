"""The error body of each protocol, for what is refused before a view runs or breaks outside one."""

from __future__ import annotations

from collections.abc import Mapping

from console.interfaces.mcp import endpoint as mcp
from console.interfaces.mem0 import errors as mem0
from console.interfaces.oauth.resource import PATH as MCP_PATH
from console.interfaces.openai import errors as openai
from skills.api import envelope
from tenancy.api.bodies.body_limit import ErrorBody, choose_error_body

# By how addresses begin; the first that fits: mem0's are more particular than the prefixes of the others.
ERROR_BODIES: Mapping[str, ErrorBody] = dict.fromkeys(mem0.BEGINNINGS, mem0.build_refused_body) | {
    envelope.PREFIX: envelope.build_refused_body,
    MCP_PATH: mcp.build_refusal,
    openai.PREFIX: openai.build_refused_body,
}
API = ("/api/", *ERROR_BODIES)


def find_error_body(path: str) -> ErrorBody | None:
    """Find how errors are written below this address of an API; None for pages."""
    return choose_error_body(ERROR_BODIES, path) if path.startswith(API) else None
