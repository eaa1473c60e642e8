"""Answers beside those of the examples: other kinds of memories, formats and ways to ask are described too."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from console.embedded.stack import Stack
from tests.support.description.copying import Client
from tests.support.description.described import Described

MEMOS, SKILLS = "/api/openmem/v1", "/api/v1"
CALL = {"id": "c1", "type": "function", "function": {"name": "find_train", "arguments": '{"to": "Lyon"}'}}


@pytest.fixture(scope="module")
def client(stack: Stack) -> Iterator[Client]:
    client = Client(stack, Described.of(stack.url))
    yield client
    client.http.close()


def post(client: Client, name: str, path: str, body: Any) -> Any:
    answer = client.http.post(path, json=body)
    assert answer.is_success, answer.text
    client.described.check(name, answer)
    return answer.json().get("data")


def add(client: Client, subject: dict[str, str], *messages: dict[str, Any]) -> None:
    body = {**subject, "conversation_id": "talk", "messages": messages, "async_mode": False}
    post(client, "addMessage", f"{MEMOS}/add/message", body)


def test_memories_in_chinese(client: Client) -> None:
    user = {"user_id": "小李"}
    add(client, user, {"role": "user", "content": "我叫小李，住在杭州，不喜欢吃香菜。我每周二打羽毛球。"})

    answer = post(client, "searchMemory", f"{MEMOS}/search/memory", {**user, "query": "小李住在哪里？"})
    listed = post(client, "listMemories", f"{MEMOS}/get/memory", user)

    assert answer["memory_detail_list"]
    whole = client.http.get(f"{MEMOS}/get/memory/{listed['memory_detail_list'][0]['id']}")
    client.described.check("getMemory", whole)


def test_tool_memories_and_messages_with_calls(client: Client) -> None:
    user = {"user_id": "driver"}
    tool = {
        "type": "function",
        "function": {"name": "find_train", "description": "Finds trains", "parameters": {}},
    }
    add(
        client,
        user,
        {"role": "user", "content": "Find a train to Lyon", "tools": [tool]},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "Error: no such station"},
        {"role": "assistant", "content": "There is no such station."},
    )

    wanted = {**user, "query": "trains to Lyon", "include_tool_memory": True, "relativity": 0}
    answer = post(client, "searchMemory", f"{MEMOS}/search/memory", wanted)
    post(client, "listMemories", f"{MEMOS}/get/memory", user)
    conversation = post(client, "getMessage", f"{MEMOS}/get/message", {**user, "conversation_id": "talk"})

    assert answer["tool_memory_detail_list"]
    assert any("tool_calls" in message for message in conversation["message_detail_list"])


def test_an_agent_that_speaks_for_itself_and_profiles(client: Client) -> None:
    agent = {"agent_id": "concierge"}
    tree = {"Work": {"city": {"value": "Berlin", "algorithm_updatable": True}}}
    made = post(
        client, "addProfileTemplate", f"{MEMOS}/add/profile_template", {"name": "n", "metadata": tree}
    )
    bound = {"bind_list": [{**agent, **made}]}
    post(client, "bindProfileTemplate", f"{MEMOS}/bind/profile_template", bound)
    add(client, agent, {"role": "user", "content": "I work in Berlin as a night concierge."})
    with_profile = {**agent, "include_memory_view": ["profile"]}

    answer = post(
        client, "searchMemory", f"{MEMOS}/search/memory", {**with_profile, "query": "Where in Berlin?"}
    )
    listed = post(client, "listMemories", f"{MEMOS}/get/memory", with_profile)

    assert "profile_detail_list" in answer
    assert listed["profile_detail_list"][0]["properties"]["Work"]["city"]["value"]


def test_an_unknown_user_is_found_with_nothing(client: Client) -> None:
    answer = post(
        client, "searchMemory", f"{MEMOS}/search/memory", {"user_id": "nobody", "query": "anything"}
    )

    assert answer["memory_detail_list"] == []


def test_a_streamed_answer_is_of_the_described_media_type(client: Client) -> None:
    body = {"user_id": "kim", "conversation_id": "s", "query": "Hello?", "stream": True}

    answer = client.http.post(f"{MEMOS}/chat", json=body)

    assert answer.headers["content-type"].startswith("text/event-stream")
    client.described.check("chat", answer)


def test_files_of_a_form_and_files_by_id(client: Client) -> None:
    base = post(
        client, "createKnowledgeBase", f"{MEMOS}/create/knowledgebase", {"knowledgebase_name": "Forms"}
    )
    form = {"knowledgebase_id": base["id"], "type": "document"}
    files = [
        ("file", ("规则.md", "# 规则\n\n每年三十天假。\n".encode())),
        ("file", ("b.txt", b"Tea at four.")),
    ]

    added = client.http.post(f"{MEMOS}/add/knowledgebase-file", data=form, files=files)

    client.described.check("addKnowledgeBaseFiles", added)
    ids = {"file_ids": [file["id"] for file in added.json()["data"]]}
    shown = post(client, "getKnowledgeBaseFiles", f"{MEMOS}/get/knowledgebase-file", ids)
    assert shown["total"] == 2


@pytest.mark.parametrize("shape", ["openai", "anthropic", "acontext"])
def test_messages_of_a_session_in_each_format(client: Client, shape: str) -> None:
    session = post(client, "createSession", f"{SKILLS}/session", {})["id"]
    blobs: dict[str, list[dict[str, Any]]] = {
        "openai": [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
        "anthropic": [{"role": "user", "content": [{"type": "text", "text": "你好"}]}],
        "acontext": [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}],
    }
    for blob in blobs[shape]:
        sent = {"format": shape, "blob": blob, "meta": {"n": 1}}
        post(client, "storeSessionMessage", f"{SKILLS}/session/{session}/messages", sent)

    for wanted in ("openai", "anthropic", "acontext"):
        query = {"format": wanted, "with_events": "true", "limit": "1", "time_desc": "true"}
        answer = client.http.get(f"{SKILLS}/session/{session}/messages", params=query)
        assert answer.status_code == 200
        client.described.check("listSessionMessages", answer)


def test_a_session_that_is_there_already(client: Client) -> None:
    body = {"use_uuid": str(uuid4()), "user": "kim"}

    answers = [client.http.post(f"{SKILLS}/session", json=body) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [201, 200]
    for answer in answers:
        client.described.check("createSession", answer)


def test_a_file_of_a_skill_that_is_no_text(client: Client) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("SKILL.md", "---\nname: logos\ndescription: Where our logo is\n---\n# Logos\n")
        archive.writestr("logo.png", b"\x89PNG\r\n\x1a\n\x00\xff")
    made = client.http.post(f"{SKILLS}/agent_skills", files={"file": ("logos.zip", packed.getvalue())})
    client.described.check("uploadSkill", made)

    answer = client.http.get(
        f"{SKILLS}/agent_skills/{made.json()['data']['id']}/file", params={"file_path": "logo.png"}
    )

    client.described.check("getSkillFile", answer)
    assert "url" in answer.json()["data"]


@pytest.mark.parametrize(
    ("name", "path", "body"),
    [
        ("addMessage", "add/message", b'{"user_id": "k"'),
        ("addMessage", "add/message", b'{"user_id": "k", "messages": [], "user_id": "k"}'),
        ("searchMemory", "search/memory", b'{"user_id": "k", "query": "\\ud800"}'),
        ("searchMemory", "search/memory", b'{"user_id": "k", "query": "q", "relativity": 7}'),
        ("deleteMemory", "delete/memory", b'{"user_id": "nobody-here"}'),
        ("deleteMemory", "delete/memory", b'{"user_id": "k", "conversation_id": "c"}'),
        ("getStatus", "get/status", b'{"task_id": "nope"}'),
        ("deleteKnowledgeBase", "delete/knowledgebase", b'{"knowledgebase_id": "base-nope"}'),
        ("rerankDocuments", "rerank", b'{"query": "q", "documents": []}'),
    ],
)
def test_a_refusal_has_a_code_that_is_described(client: Client, name: str, path: str, body: bytes) -> None:
    answer: httpx.Response = client.http.post(f"{MEMOS}/{path}", content=body)

    assert answer.status_code == 400, answer.text
    client.described.check(name, answer)
