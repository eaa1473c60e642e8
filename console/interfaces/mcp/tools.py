"""The tools: names and arguments of the published server, then Engram's own; each is one call of the REST API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from console.interfaces.in_process import MEMOS, SKILLS, ApiCall
from console.interfaces.mcp.caller import Caller

Arguments = Mapping[str, Any]
Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """`call` makes the REST request; `needs_caller` where it reads or writes an end user's or agent's memories.

    `properties` are JSON schemas by argument. A tool that neither reads only nor destroys adds something.
    """

    name: str
    title: str
    description: str
    properties: dict[str, Schema]
    call: Callable[[Arguments, Caller], ApiCall]
    required: tuple[str, ...] = ()
    needs_caller: bool = True
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False

    @property
    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": self.properties,
            "required": list(self.required),
            "additionalProperties": False,
        }


def _build_text_schema(description: str) -> Schema:
    return {"type": "string", "description": description}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _build_number_schema(description: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def _build_texts_schema(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}


FIRST_MESSAGE = _build_text_schema(
    "The first message that the user sent in this conversation; names the conversation."
)
FILTER: Schema = {
    "type": "object",
    "description": "Conditions on agent_id, app_id, create_time, tags or info fields, joined by `and` or `or`.",
}
ANSWER: Schema = {
    "type": "object",
    "properties": {
        "code": {"type": "integer", "description": "0 for success"},
        "message": {"type": "string"},
        # Not one list of types, which clients that translate schemas for a model's provider may reject.
        "data": {
            "anyOf": [{"type": "object"}, {"type": "array"}, {"type": "null"}],
            "description": "What was asked for; null after an error",
        },
    },
}
SOURCE = "mcp"


def _build_post(path: str, body: Mapping[str, Any]) -> ApiCall:
    return ApiCall("POST", f"{MEMOS}/{path}", {**body, "source": SOURCE})


def _add_message(given: Arguments, caller: Caller) -> ApiCall:
    body = {
        **caller.get_author(),
        "conversation_id": caller.get_conversation(given),
        "messages": given["messages"],
    }
    return _build_post("add/message", body)


def _search(given: Arguments, caller: Caller) -> ApiCall:
    wanted = {name: value for name, value in given.items() if name != "conversation_first_message"}
    body = {**caller.get_subject(), "conversation_id": caller.get_conversation(given), **wanted}
    return _build_post("search/memory", body)


def _build_feedback_call(given: Arguments, caller: Caller) -> ApiCall:
    wanted = {name: value for name, value in given.items() if name != "conversation_first_message"}
    return _build_post(
        "add/feedback", {**caller.get_author(), "conversation_id": caller.get_conversation(given), **wanted}
    )


def _build_profile_call(given: Arguments, caller: Caller) -> ApiCall:
    body = {
        **caller.get_subject(),
        "include_preference": given.get("include_preference", True),
        "include_tool_memory": given.get("include_tool_memory", False),
        "page": given.get("current", 1),
        "size": given.get("size", 20),
    }
    return _build_post("get/memory", body)


def _list_memories(given: Arguments, caller: Caller) -> ApiCall:
    return _build_post("get/memory", {**caller.get_subject(), **given})


def _list_skills(given: Arguments, caller: Caller) -> ApiCall:
    query = {name: str(value) for name, value in given.items()}
    return ApiCall("GET", f"{SKILLS}/agent_skills", query=query)


def _get_skill(given: Arguments, caller: Caller) -> ApiCall:
    return build_skill_file_call(str(given["skill_id"]), str(given.get("file_path", "SKILL.md")))


def build_skill_file_call(skill_id: str, path: str) -> ApiCall:
    """Raises `ValueError` for what is no id: it would be another address."""
    return ApiCall("GET", f"{SKILLS}/agent_skills/{UUID(skill_id)}/file", query={"file_path": path})


def _build_simple_call(path: str) -> Callable[[Arguments, Caller], ApiCall]:
    return lambda given, caller: _build_post(path, given)


def _add_files(given: Arguments, caller: Caller) -> ApiCall:
    files = [{**one, "name": one.get("file_name", "")} for one in given["file"]]
    return _build_post(
        "add/knowledgebase-file", {"knowledgebase_id": given["knowledgebase_id"], "file": files}
    )


def _delete(given: Arguments, caller: Caller) -> ApiCall:
    return _build_post("delete/memory", {**({"user_ids": [caller.user]} if caller.user else {}), **given})


MESSAGES: Schema = {
    "type": "array",
    "minItems": 1,
    "description": "What the user said and what you answered, in order.",
    "items": {
        "type": "object",
        "properties": {
            "role": _build_text_schema("user or assistant"),
            "content": _build_text_schema("What was said"),
            "chat_time": _build_text_schema("When it was said; now, if left out"),
        },
        "required": ["role", "content"],
    },
}
FILES: Schema = {
    "type": "array",
    "minItems": 1,
    "maxItems": 20,
    "description": "Documents to add.",
    "items": {
        "type": "object",
        "properties": {
            "content": _build_text_schema(
                "A public URL, or a data URI in Base64 (data:application/pdf;base64,...)."
            ),
            "file_name": _build_text_schema("Name of the file, with its extension"),
            "mime_type": _build_text_schema("For example application/pdf"),
        },
        "required": ["content"],
    },
}

PUBLISHED = (
    Tool(
        "add_message",
        "Remember a conversation",
        "Store what the user said and what you answered, so that it is remembered in later conversations. Call it "
        "after each answer, and whenever the user asks you to remember something. For corrections of what is "
        "remembered use add_feedback.",
        {"conversation_first_message": FIRST_MESSAGE, "messages": MESSAGES},
        _add_message,
        ("conversation_first_message", "messages"),
    ),
    Tool(
        "search_memory",
        "Search memories",
        "Find what is remembered about the user that helps to answer a question. Call it before you answer. Results "
        "with [assistant view] are what an assistant once said, not what the user said.",
        {
            "query": _build_text_schema("What to look for, in a sentence."),
            "conversation_first_message": FIRST_MESSAGE,
            "memory_limit_number": _build_number_schema("At most so many facts.", 1, 25),
            "filter": FILTER,
            "knowledgebase_ids": _build_texts_schema(
                'Knowledge bases to search as well; ["all"] for all of the project.'
            ),
            "include_preference": _flag("Search preferences, too (the default)."),
            "preference_limit_number": _build_number_schema("At most so many preferences.", 1, 25),
            "include_tool_memory": _flag("Search experience with tools, too."),
            "tool_memory_limit_number": _build_number_schema("At most so many tool memories.", 1, 25),
            "include_skill": _flag("Search skills, too."),
            "skill_limit_number": _build_number_schema("At most so many skills.", 1, 25),
            "relativity": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "Least relevance of a result; 0 for all.",
            },
        },
        _search,
        ("query", "conversation_first_message"),
        is_read_only=True,
    ),
    Tool(
        "delete_memory",
        "Delete memories",
        "Delete memories by their ids, when the user asks for it. Find the ids with search_memory.",
        {"memory_ids": _build_texts_schema("Ids of the memories to delete.")},
        _delete,
        ("memory_ids",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "add_feedback",
        "Correct memories",
        "Correct what is remembered, in the user's own words: what is wrong and what holds instead.",
        {
            "conversation_first_message": FIRST_MESSAGE,
            "feedback_content": _build_text_schema(
                "What the user wants changed, in plain words, without ids."
            ),
            "agent_id": _build_text_schema("The agent that the feedback is for."),
            "app_id": _build_text_schema("The application that the feedback comes from."),
            "feedback_time": _build_text_schema("When it was said; now, if left out."),
            "allow_public": _flag("Whether it may correct memories of all users."),
            "allow_knowledgebase_ids": _build_texts_schema("Knowledge bases that it may correct."),
        },
        _build_feedback_call,
        ("conversation_first_message", "feedback_content"),
        is_destructive=True,
    ),
    Tool(
        "get_user_profile",
        "Get the user's profile",
        "Read all that is remembered about the user, page by page: for questions such as who they are and what you "
        "know about them.",
        {
            "include_preference": _flag("With preferences (the default)."),
            "include_tool_memory": _flag("With experience with tools."),
            "current": _build_number_schema("Page, from 1.", 1, 100_000),
            "size": _build_number_schema("Memories a page.", 1, 50),
        },
        _build_profile_call,
        is_read_only=True,
    ),
    Tool(
        "create_knowledge_base",
        "Create a knowledge base",
        "Create a knowledge base for documents of one subject.",
        {
            "knowledgebase_name": _build_text_schema("A name that people recognise."),
            "knowledgebase_description": _build_text_schema("What is in it."),
        },
        _build_simple_call("create/knowledgebase"),
        ("knowledgebase_name",),
        needs_caller=False,
    ),
    Tool(
        "remove_knowledge_base",
        "Remove a knowledge base",
        "Remove a knowledge base from this project.",
        {"knowledgebase_id": _build_text_schema("Id of the knowledge base.")},
        _build_simple_call("delete/knowledgebase"),
        ("knowledgebase_id",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "add_kb_document",
        "Add documents to a knowledge base",
        "Add documents by URL or content to a knowledge base. This server cannot read files of your machine.",
        {"knowledgebase_id": _build_text_schema("Id of the knowledge base."), "file": FILES},
        _add_files,
        ("knowledgebase_id", "file"),
        needs_caller=False,
    ),
    Tool(
        "get_kb_documents",
        "Get documents",
        "Read the state and size of documents by their ids.",
        {"file_ids": _build_texts_schema("Ids of the documents.")},
        _build_simple_call("get/knowledgebase-file"),
        ("file_ids",),
        needs_caller=False,
        is_read_only=True,
    ),
    Tool(
        "delete_kb_documents",
        "Delete documents",
        "Delete documents of a knowledge base by their ids.",
        {"file_ids": _build_texts_schema("Ids of the documents.")},
        _build_simple_call("delete/knowledgebase-file"),
        ("file_ids",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
)
OWN = (
    Tool(
        "get_memories",
        "List memories",
        "List the user's memories, newest first, with their ids, page by page.",
        {
            "page": _build_number_schema("Page, from 1.", 1, 100_000),
            "size": _build_number_schema("Memories a page.", 1, 50),
            "include_preference": _flag("With preferences (the default)."),
            "include_tool_memory": _flag("With experience with tools (the default)."),
            "filter": FILTER,
        },
        _list_memories,
        is_read_only=True,
    ),
    Tool(
        "update_memory",
        "Change a memory",
        "Change the wording, the title or the status of one memory.",
        {
            "memory_id": _build_text_schema("Id of the memory."),
            "content": _build_text_schema("What it shall say."),
            "title": _build_text_schema("Its title."),
            "status": {"type": "string", "enum": ["activated", "archived"], "description": "Its status."},
        },
        _build_simple_call("update/memory"),
        ("memory_id",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        "list_skills",
        "List skills",
        "List the skills of this project: tested ways to do something. Read one with get_skill.",
        {
            "limit": _build_number_schema("At most so many.", 1, 200),
            "cursor": _build_text_schema("Where the page before ended."),
        },
        _list_skills,
        needs_caller=False,
        is_read_only=True,
    ),
    Tool(
        "get_skill",
        "Read a skill",
        "Read a skill's SKILL.md, or another of its files.",
        {
            "skill_id": {"type": "string", "format": "uuid", "description": "Id of the skill."},
            "file_path": _build_text_schema("Path of a file in the skill; SKILL.md, if left out."),
        },
        _get_skill,
        ("skill_id",),
        needs_caller=False,
        is_read_only=True,
    ),
)


TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*PUBLISHED, *OWN)}
