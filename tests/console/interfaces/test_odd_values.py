"""Whatever stands in a field of a foreign API, the answer is a refusal or a success: never an error of ours."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Tenant
from tests.support.clients.mcp_client import Assistant
from tests.support.clients.mem0_client import Mem0
from tests.support.documents.odd_values import spoil
from tests.support.tenants import make_tenant
from tests.support.waiting import LIMIT

TALK = [{"role": "user", "content": "I like tea.", "name": "kim"}]
IDS = {"user_id": "kim", "agent_id": "planner", "app_id": "shop", "run_id": "r1"}
TEXTS = {"metadata": {"topic": "home", "n": 1}, "categories": ["home"], "fields": ["memory"]}
# Every endpoint has them read by the same function.
FILTERS = {
    "AND": [
        {"user_id": "kim"},
        {"OR": [{"created_at": {"gte": "2026-01-01", "lt": "2026-12-31"}}, {"NOT": [{"run_id": "*"}]}]},
        {"metadata": {"topic": {"eq": "home"}}},
        {"categories": {"in": ["home"]}},
        {"keywords": {"icontains": "tea"}},
    ]
}
BODIES: dict[str, Any] = {
    "POST /v3/memories/add/": {
        "messages": TALK,
        **IDS,
        **TEXTS,
        "infer": False,
        "timestamp": 1_700_000_000,
        "expiration_date": "2030-12-31",
        "custom_instructions": "Only what lasts.",
        "includes": "food",
        "immutable": False,
    },
    "POST /v3/memories/search/": {
        "query": "What did I do yesterday, last month and 昨天?",
        "filters": {"user_id": "kim"},
        "reference_date": "2026-11-27",
        "top_k": 5,
        "threshold": 0.1,
        "fields": ["memory"],
        "rerank": False,
        "show_expired": False,
    },
    "POST /v3/memories/": {
        "filters": FILTERS,
        "page": 1,
        "page_size": 5,
        "start_date": "2026-01-01",
        "end_date": 1.5,
    },
    "POST /v2/memories/search/": {"query": "tea", "filters": {"user_id": "kim"}, "top_k": 5},
    "POST /v1/memories/search/": {
        "query": "tea",
        **IDS,
        "filters": "{'user_id': 'kim'}",
        "metadata": {"n": 1},
    },
    "PUT /v1/memories/MEMORY/": {
        "text": "They like tea.",
        "metadata": {"n": 1},
        "timestamp": 1_700_000_000,
        "expiration_date": "2030-12-31",
    },
    "PUT /v1/batch/": {"memories": [{"memory_id": "MEMORY", "text": "They like tea.", "metadata": {"n": 1}}]},
    "DELETE /v1/batch/": {"memories": [{"memory_id": "0198b6a2-0000-7000-8000-00000000dead"}]},
    "POST /v1/feedback/": {"memory_id": "MEMORY", "feedback": "POSITIVE", "feedback_reason": "It is right."},
    "PATCH /api/v1/orgs/organizations/o/projects/p/": {
        "custom_instructions": "Only what lasts.",
        "custom_categories": [{"food": "what they eat"}],
    },
    "POST /v1/chat/completions": {
        "model": "engram",
        "user": "kim",
        "messages": [{"role": "system", "content": "Be brief."}, *TALK],
        "temperature": 0.5,
        "top_p": 0.5,
        "max_tokens": 10,
        "stream": False,
        "metadata": {"conversation_id": "talk", "remember": "off"},
    },
    "POST /api/v1/session": {"user": "kim", "configs": {"a": 1}, "disable_task_tracking": True},
    "PATCH /api/v1/session/SESSION/messages/MESSAGE/meta": {"meta": {"rating": 5, "by": {"name": "kim"}}},
    "POST /api/v1/session/SESSION/messages acontext": {
        "format": "acontext",
        "blob": {
            "role": "user",
            "parts": [{"type": "text", "text": "hi", "file_field": None, "meta": {"n": 1}, "filename": None}],
            "meta": {"n": 1},
        },
    },
    "POST /api/v1/session/SESSION/messages openai": {
        "format": "openai",
        "blob": {
            "role": "assistant",
            "content": [{"type": "text", "text": "hi"}],
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        "meta": {"n": 1},
    },
    "POST /api/v1/session/SESSION/messages anthropic": {
        "format": "anthropic",
        "blob": {
            "role": "user",
            "content": [
                {"type": "text", "text": "hi"},
                {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "x"}]},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            ],
        },
    },
    "POST /api/v1/session/SESSION/messages gemini": {
        "format": "gemini",
        "blob": {
            "role": "user",
            "parts": [{"text": "hi"}, {"functionCall": {"name": "f", "args": {"a": 1}}}],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Held:
    """A developer with a memory and a session, whose ids stand in for the names in capitals."""

    tenant: Tenant
    ids: dict[str, str]

    def put_ids(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self.put_ids(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.put_ids(item) for item in value]
        return self.ids.get(value, value) if isinstance(value, str) else value


@pytest.fixture(scope="module")
def held(stack: Stack) -> Held:
    tenant = make_tenant(stack)
    with Mem0(tenant) as client:
        memory = client.store("I like tea.", "kim")["id"]
        # No tasks are made of what is stored: only the answers are looked at.
        settings = {"user": "kim", "disable_task_tracking": True}
        session = client.post("/api/v1/session", json=settings).json()["data"]["id"]
        path = f"/api/v1/session/{session}/messages"
        sent = {"format": "openai", "blob": {"role": "user", "content": "hi"}}
        message = client.post(path, json=sent).json()["data"]["id"]
    return Held(tenant, {"MEMORY": memory, "SESSION": session, "MESSAGE": message})


@pytest.mark.parametrize("call", BODIES)
def test_an_odd_value_is_refused_or_taken(held: Held, call: str) -> None:
    method, path, *_ = call.split()
    for name, key in held.ids.items():
        path = path.replace(name, key)
    broke = []

    with Mem0(held.tenant) as client:
        for description, body in spoil(held.put_ids(BODIES[call])):
            answer = client.request(method, path, json=body)
            if answer.status_code >= 500:
                broke.append(f"{description}: {answer.status_code}")

    assert broke == []


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("add_message", {"messages": [{}] * 100_000}, "messages: at most 500 items"),
        ("add_message", {"messages": [{}] * 500}, "messages.0: 'role' is a required property"),
        ("add_message", {"messages": [{}] * 500, "x": 1}, "'x' was unexpected"),
        ("delete_memory", {"memory_ids": [1] * 100_000}, "memory_ids: at most 1000 items"),
    ],
)
def test_a_long_list_of_wrong_items_is_refused_for_the_first(
    tenant: Tenant, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    if tool == "add_message":
        arguments |= {"conversation_first_message": "hi"}

    refusal = Assistant.of(tenant).refusal(tool, **arguments)

    assert expected in refusal
    assert len(refusal) < 200


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_half_a_character_in_a_tools_argument_is_refused(tenant: Tenant, version: str) -> None:
    envelope = "io.modelcontextprotocol"
    params = {
        "name": "search_memory",
        "arguments": {"query": "\ud800", "conversation_first_message": "hi"},
        "_meta": {f"{envelope}/protocolVersion": version, f"{envelope}/clientCapabilities": {}},
    }
    answer = httpx.post(
        f"{tenant.url}/mcp",
        content=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}),
        headers={
            "Authorization": f"Bearer {tenant.key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": version,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "search_memory",
            "X-Engram-User": "kim",
        },
        trust_env=False,
        verify=False,
        timeout=LIMIT,
    )

    # One protocol's reader of JSON refuses it, the other's lets it through to us.
    assert "Parse error" in answer.text or "[40000]" in answer.text, answer.text
