"""Which tools an assistant was offered: schemas from system messages and from messages' `tools`."""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterator
from itertools import islice
from typing import Any

from memories.text.secrets import mask_schema

Schema = dict[str, Any]

MOST_TOOLS = 200
# So many beginnings of JSON that are none, and the rest of a text is taken for prose.
_MOST_TRIES = 300
_LONGEST_NAME = 128
_START = re.compile(r"[\[{]\s*[\[{\"]")
_NAME = re.compile(r"\w[\w.:/ -]*")
# Where a text lists its tools by a tag, an entry needs no parameters to be a tool.
_TAG = re.compile(r"<(/?)\w{0,30}(?:tool|function)\w{0,30}>", re.IGNORECASE)
_PARAMETERS = ("parameters", "inputSchema", "input_schema", "parametersJsonSchema")
_LISTS = ("tools", "functions", "function_declarations", "functionDeclarations", "result")
_DEEPEST_LIST = 4


def find_schemas_in_text(text: str) -> list[Schema]:
    """Every tool that JSON inside the text describes."""
    schemas: list[Schema] = []
    tags = [(tag.start(), not tag[1]) for tag in _TAG.finditer(text)]
    for start, value in _iterate_json_values(text):
        last = bisect(tags, (start, False)) - 1
        is_offered = last >= 0 and tags[last][1]  # behind a tag that opens
        schemas += islice(_walk_schema(value, is_offered), MOST_TOOLS)
    return schemas[:MOST_TOOLS]


def list_offered_schemas(offer: Any) -> list[Schema]:
    """The tools of a message's own `tools`: a list, one tool, or either as JSON text."""
    values = [value for _, value in _iterate_json_values(offer)] if isinstance(offer, str) else [offer]
    return list(islice((schema for value in values for schema in _walk_schema(value, True)), MOST_TOOLS))


def _iterate_json_values(text: str) -> Iterator[tuple[int, Any]]:
    """The JSON objects and lists in a text, from left to right, with where they begin."""
    decoder, tries, at = json.JSONDecoder(), 0, 0
    while tries < _MOST_TRIES and (start := _START.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            tries, at = tries + 1, start.start() + 1
        else:
            yield start.start(), value


def _walk_schema(value: Any, is_offered: bool, depth: int = 0) -> Iterator[Schema]:
    if depth > _DEEPEST_LIST:
        return
    if isinstance(value, list):
        for item in value:
            yield from _walk_schema(item, is_offered, depth + 1)
    elif isinstance(value, dict):
        schema = _parse_schema(value, is_offered)
        if schema:
            yield schema
            return
        for name in _LISTS:
            if isinstance(value.get(name), list | dict):
                yield from _walk_schema(value[name], True, depth + 1)


def _parse_schema(item: dict[str, Any], is_offered: bool) -> Schema | None:
    """The tool in one shape, whichever of the usual ones it came in."""
    wrapped = item.get("function")
    if isinstance(wrapped, dict):
        return _parse_schema(wrapped, is_offered or item.get("type") == "function")
    name, description = item.get("name"), item.get("description")
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        return None
    parameters = _find_parameters(item)
    if parameters is None and not (is_offered and _has_none(item)):
        return None
    return mask_schema(
        {
            "name": name,
            "description": description if isinstance(description, str) else "",
            "parameters": parameters or {"type": "object", "properties": {}},
        }
    )


def _has_none(item: dict[str, Any]) -> bool:
    """A tool that takes nothing; a call of a tool looks much the same, but holds its arguments."""
    return "arguments" not in item and not any(name in item for name in _PARAMETERS)


def _find_parameters(item: dict[str, Any]) -> dict[str, Any] | None:
    for name in _PARAMETERS:
        given = item.get(name)
        if isinstance(given, dict) and _describes(given):
            return given
        if isinstance(given, list) and given and all(_is_listed(parameter) for parameter in given):
            return _from_list(given)
    return None


def _describes(parameters: dict[str, Any]) -> bool:
    """A description of parameters, and not the arguments of an example call."""
    if isinstance(parameters.get("properties"), dict) or parameters.get("type") == "object":
        return True
    return all(isinstance(part, dict) and part for part in parameters.values())


def _is_listed(parameter: Any) -> bool:
    return isinstance(parameter, dict) and isinstance(parameter.get("name"), str)


def _from_list(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """Parameters as a list of names, as some write them, in the usual form."""
    properties: dict[str, Any] = {}
    for parameter in parameters:
        inner = parameter.get("schema")
        rest = {key: part for key, part in parameter.items() if key not in ("name", "required", "schema")}
        properties[parameter["name"]] = {**(inner if isinstance(inner, dict) else {}), **rest}
    required = [parameter["name"] for parameter in parameters if parameter.get("required") is True]
    return {"type": "object", "properties": properties, "required": required}
