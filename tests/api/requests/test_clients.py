"""Requests exactly as the published clients send them: nulls, empties, extras, and what they break on."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.clients.client_bodies import post, sdk_search
from tests.support.expect import accepted, refused
from tests.support.servers.event_stream import read_like_the_sdk

SAID = [{"role": "user", "content": "I live in Porto."}, {"role": "assistant", "content": "Noted."}]


def sdk_add(user: str | None, **given: Any) -> dict[str, Any]:
    return {
        "messages": SAID,
        "user_id": user,
        "conversation_id": None,
        "info": None,
        "source": None,
        "app_id": None,
        "agent_id": None,
        "allow_public": False,
        "allow_knowledgebase_ids": None,
        "allow_memory_view": None,
        "tags": None,
        "async_mode": True,
        **given,
    }


def sdk_chat(user: str, **given: Any) -> dict[str, Any]:
    return {
        "user_id": user,
        "conversation_id": "talk",
        "query": "Where do I live?",
        "internet_search": False,
        "force_stop": False,
        "use_mem_os_cube": False,
        "source": None,
        "system_prompt": None,
        "model_name": None,
        "knowledgebase_ids": None,
        "filter": None,
        "add_message_on_answer": True,
        "app_id": None,
        "agent_id": None,
        "async_mode": True,
        "tags": None,
        "info": None,
        "allow_public": False,
        "allow_knowledgebase_ids": None,
        "max_tokens": 8192,
        "temperature": 0.7,
        "top_p": 0.95,
        "include_preference": True,
        "preference_limit_number": 6,
        "memory_limit_number": 6,
        "stream": False,
        "include_tool_memory": False,
        "tool_memory_limit_number": 6,
        "relativity": None,
        **given,
    }


def check_task(data: dict[str, Any]) -> str:
    """What the SDK's model demands; without it the SDK posts again, three times in all."""
    assert data["success"] is True
    assert isinstance(data["task_id"], str)
    assert data["status"] in {"running", "completed"}
    return str(data["task_id"])


@pytest.mark.parametrize("subject", ["user_id", "agent_id"])
def test_the_sdk_writes_searches_and_lists(api: Api, user: str, subject: str) -> None:
    body = {**sdk_add(None), subject: f"{user}-张三"}
    task = check_task(post(api, "add/message", body))
    api.wait_until_done(task)

    answer = post(api, "search/memory", sdk_search(**{subject: f"{user}-张三"}))
    assert any("Porto" in fact["memory_value"] for fact in answer["memory_detail_list"])
    assert isinstance(answer["preference_note"], str)

    wanted = {"include_preference": True, "include_tool_memory": True, "page": 1, "size": 10}
    nulls = {"include_memory_view": None, "filter": None}
    listed = post(api, "get/memory", {subject: f"{user}-张三", **wanted, **nulls})
    assert {"total", "size", "current", "pages"} <= set(listed)


def test_the_sdk_follows_its_task(api: Api, user: str) -> None:
    task = check_task(post(api, "add/message", sdk_add(user)))

    status = post(api, "get/status", {"task_id": task})

    assert (status["task_id"], status["status"] in {"running", "completed"}) == (task, True)


def test_the_sdk_reads_messages_and_deletes(api: Api, user: str) -> None:
    post(api, "add/message", sdk_add(user, conversation_id="talk"))
    body = {
        "user_id": user,
        "conversation_id": "talk",
        "conversation_limit_number": 6,
        "message_limit_number": None,
        "source": None,
    }

    assert [message["content"] for message in post(api, "get/message", body)["message_detail_list"]] == [
        message["content"] for message in SAID
    ]
    assert post(api, "delete/memory", {"user_id": user}) == {"success": True}


def test_the_sdk_gives_feedback(api: Api, user: str) -> None:
    body = {
        "feedback_content": "I prefer tea.",
        "user_id": user,
        "conversation_id": "talk",
        "agent_id": None,
        "app_id": None,
        "feedback_time": None,
        "allow_public": False,
        "allow_knowledgebase_ids": None,
    }

    check_task(post(api, "add/feedback", body))


def test_the_sdk_chats(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")

    answer = post(api, "chat", sdk_chat(user))["response"]
    events = [json.loads(line) for line in read_like_the_sdk(api, sdk_chat(user, stream=True))]

    assert "Porto" in answer
    assert events[-1] == {"type": "end", "data": ""}
    assert "Porto" in "".join(event["data"] for event in events)


def test_the_cli_chats_in_a_named_conversation_only(api: Api, user: str) -> None:
    body = {
        "user_id": user,
        "query": "Hello",
        "source": "cli-claude",
        "framework": "claude",
        "max_tokens": 200,
    }

    assert isinstance(post(api, "chat", {**body, "conversation_id": "memos-cli-default"})["response"], str)
    refused(api.call("chat", {**body, "conversation_id": None}), 40002, "conversation_id")


def test_the_mcp_server_remembers_and_recalls(api: Api, user: str) -> None:
    talk = hashlib.md5(f"{user}\nHello".encode()).hexdigest()
    channel = {"user_id": user, "conversation_id": talk, "source": "MODELSCOPE_REMOTE"}
    timed = [{**message, "chat_time": "2025-12-10 09:44:00.123"} for message in SAID]
    api.wait_until_done(check_task(post(api, "add/message", {**channel, "messages": timed})))

    wanted = {"query": "Where does the user live?", "memory_limit_number": 6, "filter": {}}
    answer = post(api, "search/memory", {**channel, **wanted, "knowledgebase_ids": []})

    assert answer["memory_detail_list"]
    assert post(api, "search/memory", {**channel, **wanted, "knowledgebase_ids": ["all"]})


def test_the_mcp_server_reads_profiles_corrects_and_deletes(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")
    profile = {
        "user_id": user,
        "include_preference": True,
        "include_tool_memory": False,
        "current": 1,
        "size": 20,
    }
    memory = post(api, "get/memory", {**profile, "source": "MEMOS"})["memory_detail_list"][0]

    feedback = {
        "user_id": user,
        "conversation_id": "talk",
        "feedback_content": "User wants to delete memories",
    }
    check_task(post(api, "add/feedback", {**feedback, "source": "MEMOS"}))
    gone = {"user_ids": [user], "memory_ids": [memory["id"]], "source": "MEMOS"}
    assert post(api, "delete/memory", gone) == {"success": True}


def test_the_skill_script_does_its_four_commands(api: Api, user: str) -> None:
    asked = {"source": "MEMOS_CLOUD_SKILL", "agent_id": "bot", "app_id": "app", "allow_public": False}
    talk = {"user_id": user, "conversation_id": "talk"}
    api.wait_until_done(
        check_task(post(api, "add/message", {**talk, "messages": SAID, **asked, "async_mode": True}))
    )
    check_task(post(api, "add/feedback", {**talk, "feedback_content": "I prefer tea.", **asked}))

    answer = post(
        api, "search/memory", {"user_id": user, "query": "home", "knowledgebase_ids": "all", "relativity": 0}
    )
    wanted = [answer["memory_detail_list"][0]["id"]]

    assert post(api, "delete/memory", {"memory_ids": wanted}) == {"success": True}


def test_the_cli_does_its_commands(api: Api, user: str) -> None:
    headers = {"source": "cli-claude", "framework": "claude"}
    added = {"user_id": user, "conversation_id": "memos-cli-default", "messages": SAID, **headers}
    api.wait_until_done(
        check_task(post(api, "add/message", {**added, "async_mode": True, "allow_public": False}))
    )

    search = {"query": "Where does the user live?", "memory_limit_number": 9, "include_preference": True}
    limits = {
        "tool_memory_limit_number": 6,
        "skill_limit_number": 6,
        "agent_id": "a",
        "app_id": "b",
        "user_id": user,
    }
    answer = post(api, "search/memory", {**search, **limits, **headers})
    assert all(isinstance(item["relativity"], float) for item in answer["memory_detail_list"])

    page = {"user_id": user, "page": 1, "size": 50, "include_preference": True, "include_tool_memory": True}
    assert post(api, "get/memory", {**page, **headers})["pages"] == 1


def test_the_clis_test_of_a_connection_succeeds(api: Api) -> None:
    for path in ("ping/", "ping"):
        accepted(api.get(path))
    post(api, "search/memory", {"query": "ping", "user_id": "cli-healthcheck", "memory_limit_number": 1})


def test_the_cli_may_say_bearer(api: Api, user: str) -> None:
    bearer = api.headers["Authorization"].replace("Token", "Bearer")

    accepted(api.call("get/memory", {"user_id": user}, headers={"Authorization": bearer, "X-Source": "cli"}))


def test_openclaw_recalls_before_a_turn_and_stores_after_it(api: Api, user: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    turn = [
        {"role": "user", "content": "I live in Porto. How is the weather?"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "Sunny."}]},
        {"role": "assistant", "content": "It is sunny."},
    ]
    stored = {
        "user_id": user,
        "conversation_id": "agent:main:main",
        "messages": turn,
        "source": "openclaw_linux",
        "allow_public": False,
        "async_mode": True,
        "agent_id": "main",
        "tags": ["openclaw"],
        "info": {"source": "openclaw", "sessionKey": "agent:main:main", "agentId": "main"},
    }
    api.wait_until_done(check_task(post(api, "add/message", stored)))

    recall = {
        "user_id": user,
        "query": "Where does the user live?",
        "source": "openclaw_linux",
        "memory_limit_number": 9,
        "include_preference": True,
        "preference_limit_number": 6,
        "include_tool_memory": True,
        "tool_memory_limit_number": 6,
        "relativity": 0.45,
        "knowledgebase_ids": [],
        "filter": {"user": {"and": [{"or": [{"sessionKey": "agent:main:main"}]}, {"agent_id": "main"}]}},
    }
    answer = post(api, "search/memory", recall)

    assert any("Porto" in fact["memory_value"] for fact in answer["memory_detail_list"])
    assert all(isinstance(fact["memory_key"], str) for fact in answer["memory_detail_list"])


def test_the_evaluation_client_loads_and_asks(api: Api, user: str) -> None:
    timed = [{**message, "chat_time": "2025-12-10T09:44:00+00:00"} for message in SAID]
    task = post(api, "add/message", {"messages": timed, "user_id": user, "conversation_id": None})
    api.wait_until_done(task["task_id"])

    asked = {"query": "Where does the user live?", "user_id": user, "memory_limit_number": 20}
    answer = post(
        api, "search/memory", {**asked, "mode": "fast", "include_preference": True, "pref_top_k": 6}
    )

    text = "".join(fact["memory_value"] for fact in answer["memory_detail_list"]) + answer["preference_note"]
    assert "Porto" in text
    assert isinstance(answer["preference_detail_list"], list)


def test_forms_send_numbers_as_text(api: Api, user: str) -> None:
    asked = {"user_id": user, "query": "home", "memory_limit_number": "6", "relativity": "0.45"}

    post(api, "search/memory", {**asked, "top_k": "6", "metadata": {"form": "coze"}})


@pytest.mark.parametrize("source", [None, "", 5, {"name": "mine"}, ["a"], "x" * 5000])
def test_the_name_of_a_channel_is_never_a_reason_to_refuse(api: Api, user: str, source: Any) -> None:
    check_task(post(api, "add/message", sdk_add(user, source=source)))
    post(api, "search/memory", {**sdk_search(user_id=user), "source": source})
