"""Another tenant's key gets of every MCP tool, for every id that it takes, exactly what a made-up id gets."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from mcp import ClientSession
from mcp.shared.exceptions import MCPError

from console.embedded.stack import Stack
from console.interfaces.mcp.tool_definitions import TOOLS
from tests.support.api_client import Api, Tenant
from tests.support.clients.mcp_client import Assistant
from tests.support.skills.packages import zipped
from tests.support.tenants import make_tenant

SECRET = "I live in Porto."
SKILL_MD = "---\nname: fold-maps\ndescription: How to fold maps of Porto\n---\n# Steps\n"
TEXT = "data:text/plain;base64,UG9ydG8gaXMgd2V0Lg=="


@dataclass(frozen=True)
class Ids:
    memory: str
    base: str
    file: str
    skill: str
    user: str


@dataclass(frozen=True)
class Owner:
    tenant: Tenant
    ids: Ids


@pytest.fixture(scope="module")
def owner(stack: Stack) -> Owner:
    tenant, user = make_tenant(stack), f"kim-{uuid4().hex[:8]}"
    with Api(tenant.url, tenant.key) as api:
        api.add(user, SECRET)
        memory = api.listed(user)["memory_detail_list"][0]["id"]
        base = api.data("create/knowledgebase", {"knowledgebase_name": "Handbook"})["id"]
        file = api.data("add/knowledgebase-file", {"knowledgebase_id": base, "file": [{"content": TEXT}]})[0][
            "id"
        ]
    uploaded = httpx.post(
        f"{tenant.url}/api/v1/agent_skills",
        files={"file": ("fold-maps.zip", zipped({"SKILL.md": SKILL_MD}))},
        headers={"Authorization": f"Bearer {tenant.key}"},
        trust_env=False,
        verify=False,
        timeout=120,
    )
    return Owner(tenant, Ids(memory, base, file, uploaded.json()["data"]["id"], user))


def asks(ids: Ids) -> dict[str, list[dict[str, Any]]]:
    """Every tool with every id that it takes; the assistant's user has the owner's user's name."""
    first = {"conversation_first_message": "Hello."}
    search = {**first, "query": SECRET, "relativity": 0}
    feedback = {**first, "feedback_content": "I live in Oslo."}
    return {
        "search_memory": [search, {**search, "knowledgebase_ids": [ids.base]}],
        "get_memories": [{}],
        "get_user_profile": [{}],
        "list_skills": [{}],
        "get_skill": [{"skill_id": ids.skill}],
        "get_kb_documents": [{"file_ids": [ids.file]}],
        "update_memory": [{"memory_id": ids.memory, "content": "The user lives in Oslo."}],
        "delete_memory": [{"memory_ids": [ids.memory]}],
        "add_feedback": [{**feedback, "allow_knowledgebase_ids": [ids.base]}],
        "add_kb_document": [{"knowledgebase_id": ids.base, "file": [{"content": TEXT}]}],
        "delete_kb_documents": [{"file_ids": [ids.file]}],
        "remove_knowledge_base": [{"knowledgebase_id": ids.base}],
    }


def answers(tenant: Tenant, ids: Ids) -> list[tuple[str, bool, str]]:
    """By tool whether it failed and what it said, without the ids and the name of the request."""

    async def ask_all(session: ClientSession) -> list[tuple[str, bool, str]]:
        results = []
        for tool, calls in asks(ids).items():
            for arguments in calls:
                answer = await session.call_tool(tool, arguments)
                results.append((tool, bool(answer.is_error), str(answer.content[0].text)))  # type: ignore[union-attr]
        for address in (f"skills/{ids.skill}/SKILL.md", f"documents/{ids.file}"):
            try:
                read = str(await session.read_resource(f"engram://{address}"))
                results.append((address.partition("/")[0], False, read))
            except MCPError as refused:
                results.append((address.partition("/")[0], True, str(refused)))
        return results

    results = Assistant(tenant.url, tenant.key, user=ids.user).run(ask_all)
    for key in (*astuple(ids), str(UUID(ids.file))):
        results = [(tool, failed, text.replace(key, "?")) for tool, failed, text in results]
    return results


def test_what_is_anothers_is_answered_like_what_never_was(owner: Owner, stranger: Tenant) -> None:
    base = f"base{uuid4()}"
    made_up = Ids(str(uuid4()), base, uuid4().hex, str(uuid4()), f"kim-{uuid4().hex[:8]}")

    theirs, nobodys = answers(stranger, owner.ids), answers(stranger, made_up)

    assert theirs == nobodys
    assert "Porto" not in repr(theirs)
    allowed = {tool for tool, failed, _ in theirs if not failed}
    assert allowed <= {"search_memory", "get_memories", "get_user_profile", "list_skills", "add_feedback"}
    with Api(owner.tenant.url, owner.tenant.key) as api:
        assert api.listed(owner.ids.user)["memory_detail_list"][0]["id"] == owner.ids.memory
        files = api.data("get/knowledgebase-file", {"knowledgebase_id": owner.ids.base})
        assert [file["id"] for file in files["file_detail_list"]] == [owner.ids.file]


def test_every_tool_is_asked_above_or_takes_no_id() -> None:
    made_up = Ids("m", "b", "f", "s", "u")

    assert {*asks(made_up), "add_message", "create_knowledge_base"} == set(TOOLS)
