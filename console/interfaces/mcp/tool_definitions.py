"""The tools: names and arguments of the published server, then Engram's own; each is one call of the REST API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from console.interfaces.in_process import ApiCall
from console.interfaces.mcp.caller import Caller
from console.interfaces.mcp.tool_requests import (
    Arguments,
    build_add_call,
    build_deletion_call,
    build_feedback_call,
    build_files_call,
    build_memories_call,
    build_profile_call,
    build_search_call,
    build_simple_call,
    build_skill_call,
    build_skills_call,
)
from memories.api.serializers.messages import MAX_MESSAGES

Schema = dict[str, Any]
# Of one call of the REST API that names memories or documents.
MOST_IDS = 1000


@dataclass(frozen=True, slots=True)
class ToolDefinition:
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
        # In the order in which they are checked: what is said of all arguments comes before what is said of one.
        return {
            "type": "object",
            "required": list(self.required),
            "additionalProperties": False,
            "properties": self.properties,
        }


def _build_text_schema(description: str) -> Schema:
    return {"type": "string", "description": description}


def _flag_schema(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _build_number_schema(description: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def _build_texts_schema(description: str, most: int = 100) -> Schema:
    """`most` is what the REST API takes; the length is checked first, so that no longer list is looked through."""
    return {"type": "array", "maxItems": most, "items": {"type": "string"}, "description": description}


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
MESSAGES: Schema = {
    "type": "array",
    "minItems": 1,
    "maxItems": MAX_MESSAGES,
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
    ToolDefinition(
        "add_message",
        "Remember a conversation",
        "Store what the user said and what you answered, so that it is remembered in later conversations. Call it "
        "after each answer, and whenever the user asks you to remember something. For corrections of what is "
        "remembered use add_feedback.",
        {"conversation_first_message": FIRST_MESSAGE, "messages": MESSAGES},
        build_add_call,
        ("conversation_first_message", "messages"),
    ),
    ToolDefinition(
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
            "include_preference": _flag_schema("Search preferences, too (the default)."),
            "preference_limit_number": _build_number_schema("At most so many preferences.", 1, 25),
            "include_tool_memory": _flag_schema("Search experience with tools, too."),
            "tool_memory_limit_number": _build_number_schema("At most so many tool memories.", 1, 25),
            "include_skill": _flag_schema("Search skills, too."),
            "skill_limit_number": _build_number_schema("At most so many skills.", 1, 25),
            "relativity": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "Least relevance of a result; 0 for all.",
            },
        },
        build_search_call,
        ("query", "conversation_first_message"),
        is_read_only=True,
    ),
    ToolDefinition(
        "delete_memory",
        "Delete memories",
        "Delete memories by their ids, when the user asks for it. Find the ids with search_memory.",
        {"memory_ids": _build_texts_schema("Ids of the memories to delete.", MOST_IDS)},
        build_deletion_call,
        ("memory_ids",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
    ToolDefinition(
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
            "allow_public": _flag_schema("Whether it may correct memories of all users."),
            "allow_knowledgebase_ids": _build_texts_schema("Knowledge bases that it may correct."),
        },
        build_feedback_call,
        ("conversation_first_message", "feedback_content"),
        is_destructive=True,
    ),
    ToolDefinition(
        "get_user_profile",
        "Get the user's profile",
        "Read all that is remembered about the user, page by page: for questions such as who they are and what you "
        "know about them.",
        {
            "include_preference": _flag_schema("With preferences (the default)."),
            "include_tool_memory": _flag_schema("With experience with tools."),
            "current": _build_number_schema("Page, from 1.", 1, 100_000),
            "size": _build_number_schema("Memories a page.", 1, 50),
        },
        build_profile_call,
        is_read_only=True,
    ),
    ToolDefinition(
        "create_knowledge_base",
        "Create a knowledge base",
        "Create a knowledge base for documents of one subject.",
        {
            "knowledgebase_name": _build_text_schema("A name that people recognise."),
            "knowledgebase_description": _build_text_schema("What is in it."),
        },
        build_simple_call("create/knowledgebase"),
        ("knowledgebase_name",),
        needs_caller=False,
    ),
    ToolDefinition(
        "remove_knowledge_base",
        "Remove a knowledge base",
        "Remove a knowledge base from this project.",
        {"knowledgebase_id": _build_text_schema("Id of the knowledge base.")},
        build_simple_call("delete/knowledgebase"),
        ("knowledgebase_id",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
    ToolDefinition(
        "add_kb_document",
        "Add documents to a knowledge base",
        "Add documents by URL or content to a knowledge base. This server cannot read files of your machine.",
        {"knowledgebase_id": _build_text_schema("Id of the knowledge base."), "file": FILES},
        build_files_call,
        ("knowledgebase_id", "file"),
        needs_caller=False,
    ),
    ToolDefinition(
        "get_kb_documents",
        "Get documents",
        "Read the state and size of documents by their ids.",
        {"file_ids": _build_texts_schema("Ids of the documents.", MOST_IDS)},
        build_simple_call("get/knowledgebase-file"),
        ("file_ids",),
        needs_caller=False,
        is_read_only=True,
    ),
    ToolDefinition(
        "delete_kb_documents",
        "Delete documents",
        "Delete documents of a knowledge base by their ids.",
        {"file_ids": _build_texts_schema("Ids of the documents.", MOST_IDS)},
        build_simple_call("delete/knowledgebase-file"),
        ("file_ids",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
)
OWN = (
    ToolDefinition(
        "get_memories",
        "List memories",
        "List the user's memories, newest first, with their ids, page by page.",
        {
            "page": _build_number_schema("Page, from 1.", 1, 100_000),
            "size": _build_number_schema("Memories a page.", 1, 50),
            "include_preference": _flag_schema("With preferences (the default)."),
            "include_tool_memory": _flag_schema("With experience with tools (the default)."),
            "filter": FILTER,
        },
        build_memories_call,
        is_read_only=True,
    ),
    ToolDefinition(
        "update_memory",
        "Change a memory",
        "Change the wording, the title or the status of one memory.",
        {
            "memory_id": _build_text_schema("Id of the memory."),
            "content": _build_text_schema("What it shall say."),
            "title": _build_text_schema("Its title."),
            "status": {"type": "string", "enum": ["activated", "archived"], "description": "Its status."},
        },
        build_simple_call("update/memory"),
        ("memory_id",),
        needs_caller=False,
        is_destructive=True,
        is_idempotent=True,
    ),
    ToolDefinition(
        "list_skills",
        "List skills",
        "List the skills of this project: tested ways to do something. Read one with get_skill.",
        {
            "limit": _build_number_schema("At most so many.", 1, 200),
            "cursor": _build_text_schema("Where the page before ended."),
        },
        build_skills_call,
        needs_caller=False,
        is_read_only=True,
    ),
    ToolDefinition(
        "get_skill",
        "Read a skill",
        "Read a skill's SKILL.md, or another of its files.",
        {
            "skill_id": {"type": "string", "format": "uuid", "description": "Id of the skill."},
            "file_path": _build_text_schema("Path of a file in the skill; SKILL.md, if left out."),
        },
        build_skill_call,
        ("skill_id",),
        needs_caller=False,
        is_read_only=True,
    ),
)


TOOLS: Mapping[str, ToolDefinition] = {tool.name: tool for tool in (*PUBLISHED, *OWN)}
