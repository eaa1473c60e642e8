"""Arguments of tools: checked by the tool's schema, and read back from the call of the REST API that they made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema

from console.interfaces.mcp.tool_definitions import ToolDefinition


def find_argument_fault(tool: ToolDefinition, given: dict[str, Any]) -> str:
    """Find what is wrong with the arguments first, and where; "" where nothing is.

    It looks no further than that: in a long list each item may be wrong.
    """
    checker = jsonschema.Draft202012Validator(tool.schema, format_checker=jsonschema.FormatChecker())
    fault = next(checker.iter_errors(given), None)
    if fault is None:
        return ""
    where = ".".join(map(str, fault.path))
    return f"{f'{where}: ' if where else ''}{_describe_fault(fault)}"


def _describe_fault(fault: jsonschema.ValidationError) -> str:
    if fault.validator == "maxItems":
        return f"at most {fault.validator_value} items"
    return fault.message if len(fault.message) < 200 else f"is not valid ({fault.validator})"


# What an argument is called in the body of the REST call, where that is another name.
_OTHER_NAMES = {("get_user_profile", "current"): "page"}


def build_arguments(tool: ToolDefinition, body: Mapping[str, Any]) -> dict[str, Any]:
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
            {("file_name" if name == "name" else name): value for name, value in file.items() if value != ""}
            for file in given["file"]
            if isinstance(file, dict)
        ]
    return {name: value for name, value in given.items() if value is not None}
