"""An assistant reaches its user's memories over MCP, with the official client."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PaginatedRequestParams

from tests.support.api_client import Api, Tenant
from tests.support.clients.mcp_client import Assistant
from tests.support.waiting import wait_until

# As the published server names them.
PUBLISHED = {
    "add_message": {"conversation_first_message", "messages"},
    "search_memory": {
        *("query", "conversation_first_message", "memory_limit_number", "filter", "knowledgebase_ids"),
        *("include_preference", "preference_limit_number", "include_tool_memory", "tool_memory_limit_number"),
        *("include_skill", "skill_limit_number", "relativity"),
    },
    "delete_memory": {"memory_ids"},
    "add_feedback": {
        *("conversation_first_message", "feedback_content", "agent_id", "app_id", "feedback_time"),
        *("allow_public", "allow_knowledgebase_ids"),
    },
    "get_user_profile": {"include_preference", "include_tool_memory", "current", "size"},
    "create_knowledge_base": {"knowledgebase_name", "knowledgebase_description"},
    "remove_knowledge_base": {"knowledgebase_id"},
    "add_kb_document": {"knowledgebase_id", "file"},
    "get_kb_documents": {"file_ids"},
    "delete_kb_documents": {"file_ids"},
}
OWN = {"get_memories", "update_memory", "list_skills", "get_skill"}
FIRST = "Where should we go?"


def remember(assistant: Assistant, *texts: str) -> None:
    """Stores the messages and waits until they are refined."""
    messages = [{"role": "user", "content": text} for text in texts]
    task = assistant.data("add_message", conversation_first_message=FIRST, messages=messages)["task_id"]
    with Api(assistant.base, assistant.key) as api:
        wait_until(lambda: api.data("get/status", {"task_id": task})["status"] == "completed")


def found(assistant: Assistant, query: str) -> list[dict[str, Any]]:
    answer = assistant.data("search_memory", query=query, conversation_first_message=FIRST)
    return list(answer["memory_detail_list"])


def wait_for(assistant: Assistant, query: str, words: str) -> dict[str, Any]:
    def hits() -> list[dict[str, Any]]:
        return [hit for hit in found(assistant, query) if words in hit["memory_value"]]

    wait_until(lambda: bool(hits()))
    return hits()[0]


def skill_package(name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{name}/SKILL.md", f"---\nname: {name}\ndescription: How to {name}\n---\n# Steps\n")
    return packed.getvalue()


def upload_skill(tenant: Tenant, name: str) -> str:
    answer = httpx.post(
        f"{tenant.url}/api/v1/agent_skills",
        files={"file": (f"{name}.zip", skill_package(name))},
        headers={"Authorization": f"Bearer {tenant.key}"},
        trust_env=False,
        verify=False,
        timeout=120,
    )
    return str(answer.json()["data"]["id"])


def test_the_tools_have_the_names_and_arguments_of_the_published_server(tenant: Tenant) -> None:
    listed = Assistant.of(tenant).run(lambda session: session.list_tools()).tools

    assert {tool.name for tool in listed} == {*PUBLISHED, *OWN}
    assert {
        tool.name: set(tool.input_schema["properties"]) for tool in listed if tool.name in PUBLISHED
    } == PUBLISHED
    assert all(tool.title and tool.description for tool in listed)
    assert all(tool.output_schema["properties"]["data"]["description"] for tool in listed)


def test_schemas_are_such_as_every_client_can_translate(tenant: Tenant) -> None:
    listed = Assistant.of(tenant).run(lambda session: session.list_tools()).tools

    for tool in listed:
        for schema in (*subschemas(tool.input_schema), *subschemas(tool.output_schema)):
            assert isinstance(schema.get("type"), str) or "anyOf" in schema, (tool.name, schema)
            assert not {"$ref", "oneOf", "allOf", "not", "patternProperties"} & set(schema), (
                tool.name,
                schema,
            )


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema, and all that it is made of."""
    yield schema
    items = [schema["items"]] if isinstance(schema.get("items"), dict) else []
    for part in (*schema.get("properties", {}).values(), *items, *schema.get("anyOf", [])):
        yield from subschemas(part)


def test_a_client_learns_what_only_reads_and_what_destroys(tenant: Tenant) -> None:
    listed = Assistant.of(tenant).run(lambda session: session.list_tools()).tools
    hints = {tool.name: tool.annotations for tool in listed}

    reading = {name for name, hint in hints.items() if hint and hint.read_only_hint}
    destroying = {name for name, hint in hints.items() if hint and hint.destructive_hint}

    assert reading == {
        *("search_memory", "get_user_profile", "get_kb_documents", "get_memories", "list_skills", "get_skill")
    }
    assert destroying == {
        *("delete_memory", "add_feedback", "remove_knowledge_base", "delete_kb_documents", "update_memory")
    }


@pytest.mark.parametrize("scheme", ["Token", "Bearer"])
def test_what_an_assistant_stored_it_finds_again(tenant: Tenant, scheme: str) -> None:
    assistant = Assistant.of(tenant, scheme=scheme)

    remember(assistant, "I keep bees on the roof of a school in Ghent.")

    assert wait_for(assistant, "What do I keep on the roof?", "bees")


def test_a_conversation_has_the_id_that_the_published_server_gives_it(tenant: Tenant, api: Api) -> None:
    remember(Assistant.of(tenant), "I live in Porto.")

    # md5 of the user, a line feed and the first message.
    body = {"user_id": "kim", "conversation_id": "4c3905fbf12800c51752585b155ecaa0"}
    (message,) = api.data("get/message", body)["message_detail_list"]
    assert message["content"] == "I live in Porto."


def test_the_user_may_stand_in_the_address(tenant: Tenant, api: Api) -> None:
    assistant = Assistant(tenant.url, tenant.key, query="?user_id=lee")
    remember(assistant, "I live in Porto.")

    wait_for(assistant, "Where do I live?", "Porto")

    assert "Porto" in api.facts("lee", "Where does the user live?")[0]


def test_without_a_user_the_assistant_is_told_how_to_name_one(tenant: Tenant) -> None:
    refusal = Assistant(tenant.url, tenant.key).refusal(
        "search_memory", query="Where do I live?", conversation_first_message=FIRST
    )

    assert "user_id" in refusal
    assert "X-Engram-User" in refusal


def test_memories_are_listed_changed_and_deleted(tenant: Tenant) -> None:
    assistant = Assistant.of(tenant)
    remember(assistant, "I live in Porto.")
    memory = wait_for(assistant, "Where do I live?", "Porto")

    assistant.data("update_memory", memory_id=memory["id"], content="The user lives in Braga.")
    listed = assistant.data("get_memories", size=50)["memory_detail_list"]
    profile = assistant.data("get_user_profile")["memory_detail_list"]
    assistant.data("delete_memory", memory_ids=[memory["id"]])

    assert [row["memory_value"] for row in listed] == ["The user lives in Braga."]
    assert listed[0]["id"] == profile[0]["id"]
    assert found(assistant, "Where do I live?") == []


def test_feedback_corrects_what_is_remembered(tenant: Tenant) -> None:
    assistant = Assistant.of(tenant)
    remember(assistant, "I live in Porto.")
    wait_for(assistant, "Where do I live?", "Porto")

    assistant.data(
        "add_feedback",
        conversation_first_message=FIRST,
        feedback_content="No, I live in Braga, not in Porto.",
    )

    wait_for(assistant, "Where do I live?", "Braga")


def test_a_knowledge_base_is_made_filled_read_and_removed(tenant: Tenant) -> None:
    assistant = Assistant.of(tenant)
    base = assistant.data("create_knowledge_base", knowledgebase_name="Handbook")["id"]
    text = "data:text/plain;base64,VGhlIG9mZmljZSBvcGVucyBhdCBzZXZlbi4="
    (file,) = assistant.data(
        "add_kb_document", knowledgebase_id=base, file=[{"content": text, "file_name": "hours.txt"}]
    )

    def state() -> str:
        (detail,) = assistant.data("get_kb_documents", file_ids=[file["id"]])["file_detail_list"]
        return str(detail["state"])

    wait_until(lambda: state() == "completed")
    listed = every_resource(assistant)
    document = next(resource for resource in listed if str(resource.uri).startswith("engram://documents/"))
    read = assistant.run(lambda session: session.read_resource(document.uri))

    assert document.name == "hours.txt"
    assert "opens at seven" in read.contents[0].text
    assistant.data("delete_kb_documents", file_ids=[file["id"]])
    assistant.data("remove_knowledge_base", knowledgebase_id=base)
    assert "40001" in assistant.refusal("get_kb_documents", file_ids=[file["id"]])


def every_resource(assistant: Assistant) -> list[Any]:
    async def read(session: Any) -> list[Any]:
        listed, cursor = [], None
        while True:
            page = await session.list_resources(params=PaginatedRequestParams(cursor=cursor))
            listed += page.resources
            cursor = page.next_cursor
            if not cursor:
                return listed

    return assistant.run(read)


def test_skills_are_tools_and_resources(tenant: Tenant) -> None:
    skill = upload_skill(tenant, "fold-maps")
    assistant = Assistant.of(tenant)

    (listed,) = assistant.data("list_skills")["items"]
    shown = assistant.data("get_skill", skill_id=skill)
    (resource,) = every_resource(assistant)
    read = assistant.run(lambda session: session.read_resource(resource.uri))

    assert listed["name"] == "fold-maps"
    assert "# Steps" in shown["content"]["raw"]
    assert str(resource.uri) == f"engram://skills/{skill}/SKILL.md"
    assert "# Steps" in read.contents[0].text


def test_prompts_ask_for_the_right_tool(tenant: Tenant) -> None:
    assistant = Assistant.of(tenant)

    listed = assistant.run(lambda session: session.list_prompts()).prompts
    remembering = assistant.run(
        lambda session: session.get_prompt("remember", {"what": "I fence on Mondays"})
    )

    assert {prompt.name for prompt in listed} == {"remember", "what_do_you_know"}
    assert "add_message" in remembering.messages[0].content.text
    assert "I fence on Mondays" in remembering.messages[0].content.text


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("search_memory", {"conversation_first_message": FIRST}, "'query' is a required property"),
        (
            "search_memory",
            {"query": "x", "conversation_first_message": FIRST, "memory_limit_number": 26},
            "memory_limit_number",
        ),
        ("delete_memory", {"memory_ids": "all"}, "memory_ids"),
        ("delete_memory", {"memory_ids": [], "user_id": "kim"}, "user_id"),
        ("get_skill", {"skill_id": "../session"}, "skill_id"),
        ("update_memory", {"memory_id": "nothing", "content": "x"}, "40001"),
    ],
)
def test_a_wrong_argument_is_named(
    tenant: Tenant, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    assert expected in Assistant.of(tenant).refusal(tool, **arguments)


def test_an_unknown_tool_prompt_or_resource_is_refused(tenant: Tenant) -> None:
    assistant = Assistant.of(tenant)

    for act in (
        lambda session: session.call_tool("drop_tables", {}),
        lambda session: session.get_prompt("drop_tables", {}),
        lambda session: session.read_resource("engram://tables/1"),
        lambda session: session.read_resource("engram://documents/01a210c7-2136-7236-9e5d-e04ccabdd845"),
        lambda session: session.read_resource(
            "engram://skills/01a210c7-2136-7236-9e5d-e04ccabdd845/SKILL.md"
        ),
        lambda session: session.read_resource("engram://skills/../session"),
    ):
        with pytest.raises(MCPError):
            assistant.run(act)


def test_nothing_of_another_tenant_is_seen_or_changed(tenant: Tenant, stranger: Tenant, api: Api) -> None:
    api.add("kim", "I live in Porto.")
    memory = api.search("kim", "Where does the user live?")["memory_detail_list"][0]
    skill = upload_skill(tenant, "fold-maps")
    base = api.data("create/knowledgebase", {"knowledgebase_name": "Handbook"})["id"]
    foreign = Assistant.of(stranger)

    assert found(foreign, "Where do I live?") == []
    assert foreign.data("get_memories")["memory_detail_list"] == []
    assert foreign.data("get_user_profile")["memory_detail_list"] == []
    assert foreign.data("list_skills")["items"] == []
    assert every_resource(foreign) == []
    for tool, arguments in (
        ("delete_memory", {"memory_ids": [memory["id"]]}),
        ("update_memory", {"memory_id": memory["id"], "content": "The user lives nowhere."}),
        ("get_skill", {"skill_id": skill}),
        ("remove_knowledge_base", {"knowledgebase_id": base}),
        ("add_kb_document", {"knowledgebase_id": base, "file": [{"content": "data:text/plain;base64,eA=="}]}),
    ):
        foreign.call(tool, **arguments)
    with pytest.raises(MCPError):
        foreign.run(lambda session: session.read_resource(f"engram://skills/{skill}/SKILL.md"))

    assert "Porto" in api.facts("kim", "Where does the user live?")[0]
    assert api.data("get/knowledgebase-file", {"knowledgebase_id": base})["total"] == 0


def post(tenant: Tenant, key: str | None, body: Any, method: str = "POST") -> httpx.Response:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    return httpx.request(
        method, f"{tenant.url}/mcp", json=body, headers=headers, trust_env=False, verify=False, timeout=120
    )


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.mark.parametrize(("key", "code"), [(None, "40100"), ("mpg-unknown", "40132")])
def test_without_a_key_a_client_is_told_to_authenticate(tenant: Tenant, key: str | None, code: str) -> None:
    answer = post(tenant, key, LIST)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.json()["error"]["message"].startswith(f"[{code}]")


def test_there_is_no_stream_to_wait_at(tenant: Tenant) -> None:
    answer = post(tenant, tenant.key, None, "GET")

    assert answer.status_code == 405
    assert answer.headers["Allow"] == "POST"


@pytest.mark.parametrize(
    "body", [[], "x", {"jsonrpc": "2.0"}, {"id": 1, "method": "tools/list"}, [LIST, LIST]]
)
def test_what_is_no_request_is_refused_as_the_protocol_says(tenant: Tenant, body: Any) -> None:
    answer = post(tenant, tenant.key, body)

    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]["message"]


def test_calls_stand_in_the_request_log_under_their_own_name(tenant: Tenant) -> None:
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import RequestLog

    assistant = Assistant.of(tenant)
    found(assistant, "Where do I live?")

    def logged() -> list[tuple[str, str, str]]:
        with tenant_scope(tenant.project):
            rows = RequestLog.objects.within(tenant.project)
            return list(rows.values_list("endpoint", "origin", "subject_id"))

    wait_until(lambda: ("mcp/search_memory", "mcp", "kim") in logged())


def test_a_key_that_is_bound_to_addresses_works_from_these_and_from_no_others(tenant: Tenant) -> None:
    from tenancy.keys.keys import create_key

    near = create_key(tenant.project, "near", ranges=("127.0.0.0/8",)).plaintext
    far = create_key(tenant.project, "far", ranges=("203.0.113.0/24",)).plaintext

    assert every_resource(Assistant(tenant.url, near, user="kim")) == []
    with pytest.raises(MCPError, match="may not be used from"):
        every_resource(Assistant(tenant.url, far, user="kim"))
    assert "may not be used from" in Assistant(tenant.url, far, user="kim").refusal("list_skills")
