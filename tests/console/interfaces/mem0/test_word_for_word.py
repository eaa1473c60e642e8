"""What is stored word for word (`infer` false) by mem0's clients."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.expect import accepted, refused


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "look"}}]},
        {"role": "tool", "content": "", "tool_call_id": "1"},
    ],
)
def test_a_call_without_any_text_stores_nothing_word_for_word(
    mem0: Mem0, user: str, message: dict[str, Any]
) -> None:
    added = mem0.ok("POST", "/v3/memories/add/", {"messages": [message], "user_id": user, "infer": False})

    assert (added["status"], added["results"]) == ("SUCCEEDED", [])
    assert mem0.ok("GET", f"/v1/event/{added['event_id']}/")["results"] == []


@pytest.mark.parametrize("scope", [{"agent_id": "helper"}, {"run_id": "r1"}])
def test_of_equal_memories_of_one_scope_one_is_active(
    mem0: Mem0, developer: Tenant, user: str, scope: dict[str, str]
) -> None:
    body = {"messages": "I play the oboe.", "user_id": user, "infer": False, **scope}
    (first,) = mem0.ok("POST", "/v3/memories/add/", body)["results"]
    with developer.api() as api:
        accepted(api.call("update/memory", {"memory_id": first["id"], "status": "archived"}))
        (second,) = mem0.ok("POST", "/v3/memories/add/", body)["results"]

        again = api.call("update/memory", {"memory_id": first["id"], "status": "activated"})

    refused(again, 40000, second["id"])
