"""Arguments of tools: checked by the tool's schema, and read back from the call of the REST API that they made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema

from console.interfaces.mcp.tool_definitions import Tool


def find_argument_fault(tool: Tool, given: dict[str, Any]) -> str:
    """What is wrong with the arguments, and where; "" where nothing is."""
    checker = jsonschema.Draft202012Validator(tool.schema, format_checker=jsonschema.FormatChecker())
    fault = next(iter(sorted(checker.iter_errors(given), key=lambda one: list(map(str, one.path)))), None)
    if fault is None:
        return ""
    where = ".".join(map(str, fault.path))
    what = fault.message if len(fault.message) < 200 else f"is not valid ({fault.validator})"
    return f"{f'{where}: ' if where else ''}{what}"


# What an argument is called in the body of the REST call, where that is another name.
_OTHER_NAMES = {("get_user_profile", "current"): "page"}


def build_arguments(tool: Tool, body: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with which a tool makes this body. The first message of a conversation, of which the body has only
    a digest, is the text that the body itself has."""
    given = {name: body.get(_OTHER_NAMES.get((tool.name, name), name)) for name in tool.properties}
    if "conversation_first_message" in given:
        messages = body.get("messages")
        first = messages[0].get("content") if isinstance(messages, list) and messages else ""
        given["conversation_first_message"] = str(
            body.get("query") or body.get("feedback_content") or first or ""
        )
    if tool.name == "add_kb_document" and isinstance(given["file"], list):
        given["file"] = [
            {("file_name" if name == "name" else name): value for name, value in one.items() if value != ""}
            for one in given["file"]
            if isinstance(one, dict)
        ]
    return {name: value for name, value in given.items() if value is not None}
