"""Bodies of requests as published clients send them."""

from __future__ import annotations

import json
from typing import Any

from tests.support.api_client import Api
from tests.support.expect import accepted


def sdk_search(**subject: str) -> dict[str, Any]:
    return {
        "query": "Where does the user live?",
        "conversation_id": None,
        "memory_limit_number": 6,
        "include_preference": True,
        "knowledgebase_ids": None,
        "filter": None,
        "preference_limit_number": 6,
        "tool_memory_limit_number": 6,
        "relativity": None,
        "include_skill": False,
        "skill_limit_number": 6,
        "include_memory_view": None,
        "context_format": "memory",
        "source": None,
        "include_tool_memory": False,
        **subject,
    }


def as_text(body: dict[str, Any]) -> bytes:
    """The SDK sends ready text, letters beyond ASCII escaped."""
    return json.dumps(body).encode("ascii")


def post(api: Api, path: str, body: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/json"}
    return accepted(api.post(path, content=as_text(body), headers=headers))
