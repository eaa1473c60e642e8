"""The request of the REST API that each tool makes from its arguments and its caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from console.interfaces.in_process import MEMOS, SKILLS, ApiCall
from console.interfaces.mcp.caller import Caller

Arguments = Mapping[str, Any]
SOURCE = "mcp"


def _build_post(path: str, body: Mapping[str, Any]) -> ApiCall:
    return ApiCall("POST", f"{MEMOS}/{path}", {**body, "source": SOURCE})


def build_add_call(given: Arguments, caller: Caller) -> ApiCall:
    body = {
        **caller.get_author(),
        "conversation_id": caller.get_conversation(given),
        "messages": given["messages"],
    }
    return _build_post("add/message", body)


def build_search_call(given: Arguments, caller: Caller) -> ApiCall:
    wanted = {name: value for name, value in given.items() if name != "conversation_first_message"}
    body = {**caller.get_subject(), "conversation_id": caller.get_conversation(given), **wanted}
    return _build_post("search/memory", body)


def build_feedback_call(given: Arguments, caller: Caller) -> ApiCall:
    wanted = {name: value for name, value in given.items() if name != "conversation_first_message"}
    return _build_post(
        "add/feedback", {**caller.get_author(), "conversation_id": caller.get_conversation(given), **wanted}
    )


def build_profile_call(given: Arguments, caller: Caller) -> ApiCall:
    body = {
        **caller.get_subject(),
        "include_preference": given.get("include_preference", True),
        "include_tool_memory": given.get("include_tool_memory", False),
        "page": given.get("current", 1),
        "size": given.get("size", 20),
    }
    return _build_post("get/memory", body)


def build_memories_call(given: Arguments, caller: Caller) -> ApiCall:
    return _build_post("get/memory", {**caller.get_subject(), **given})


def build_skills_call(given: Arguments, caller: Caller) -> ApiCall:
    query = {name: str(value) for name, value in given.items()}
    return ApiCall("GET", f"{SKILLS}/agent_skills", query=query)


def build_skill_call(given: Arguments, caller: Caller) -> ApiCall:
    return build_skill_file_call(str(given["skill_id"]), str(given.get("file_path", "SKILL.md")))


def build_skill_file_call(skill_id: str, path: str) -> ApiCall:
    """Raises `ValueError` for what is no id: it would be another address."""
    return ApiCall("GET", f"{SKILLS}/agent_skills/{UUID(skill_id)}/file", query={"file_path": path})


def build_simple_call(path: str) -> Callable[[Arguments, Caller], ApiCall]:
    return lambda given, caller: _build_post(path, given)


def build_files_call(given: Arguments, caller: Caller) -> ApiCall:
    files = [{**file, "name": file.get("file_name", "")} for file in given["file"]]
    return _build_post(
        "add/knowledgebase-file", {"knowledgebase_id": given["knowledgebase_id"], "file": files}
    )


def build_deletion_call(given: Arguments, caller: Caller) -> ApiCall:
    return _build_post("delete/memory", {**({"user_ids": [caller.user]} if caller.user else {}), **given})
