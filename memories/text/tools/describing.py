"""A tool's schema as a text that can be found by what the tool is for.

Everything in the schema is in the text, whatever its order was: two schemas say the same exactly when their texts do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from memories.text.tools.schemas import Schema
from memories.text.words import language_detection

_SAID = frozenset({"type", "description", "properties", "required", "items", "enum", "default"})
_DEEPEST = 8
_LONGEST = 8_000


def describe_tool(schema: Schema) -> tuple[str, str]:
    """The text and its language."""
    language = language_detection.detect_language(f"{schema['description']} {schema['name']}")
    # A tool without any words of its own is described in the language of its parameters.
    if not schema["description"]:
        language = language_detection.detect_language(_write_compactly(schema["parameters"]))
    parameters = list(_describe_parameters(schema["parameters"], language))
    description = schema["description"].strip().rstrip(".。")
    if language == "zh":
        text = f"工具 {schema['name']}：{description}。参数：{'；'.join(parameters) or '无'}。"
    else:
        text = f"Tool {schema['name']}: {description}. Parameters: {'; '.join(parameters) or 'none'}."
    return _shorten_text(text), language


def _shorten_text(text: str) -> str:
    """Of a very long text the beginning; a digest of the whole tells it from another that begins alike."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}… ({hashlib.sha256(text.encode()).hexdigest()[:12]})"


def _describe_parameters(
    schema: dict[str, Any], language: str, path: str = "", depth: int = 0
) -> Iterator[str]:
    """A line a parameter, nested ones by their path."""
    properties = schema.get("properties")
    named = properties if isinstance(properties, dict) else {}
    if not path and not named and "type" not in schema:
        named = {name: part for name, part in schema.items() if isinstance(part, dict)}
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    for name in sorted(named):
        part = named[name] if isinstance(named[name], dict) else {"const": named[name]}
        is_needed = name in needed or part.get("required") is True
        yield from _describe_parameter(f"{path}{name}", part, is_needed, language, depth)
    if named.keys() != schema.keys():
        yield from _describe_rest(path.rstrip("."), schema, language)


def _describe_parameter(
    path: str, part: dict[str, Any], is_needed: bool, language: str, depth: int
) -> Iterator[str]:
    if depth >= _DEEPEST:
        yield f"{path} {_write_compactly(part)}"
        return
    is_chinese = language == "zh"
    traits = [_write_text(part["type"])] if "type" in part else []
    traits += [("必填" if is_chinese else "required")] if is_needed else []
    if "enum" in part:
        traits.append(f"{'可选值' if is_chinese else 'one of'} {_write_compactly(part['enum'])}")
    if "default" in part:
        traits.append(f"{'默认' if is_chinese else 'default'} {_write_compactly(part['default'])}")
    description = str(part.get("description") or "").strip().rstrip(".。;；")
    opened, between, closed, colon = ("（", "，", "）", "：") if is_chinese else (" (", ", ", ")", ": ")
    shown = f"{opened}{between.join(traits)}{closed}" if traits else ""
    yield f"{path}{shown}{colon + description if description else ''}"
    yield from _describe_parameters(part, language, f"{path}.", depth + 1)
    if isinstance(part.get("items"), dict):
        yield from _describe_parameter(f"{path}[]", part["items"], False, language, depth + 1)


def _describe_rest(path: str, schema: dict[str, Any], language: str) -> Iterator[str]:
    """Describe what else it says, as it says it."""
    is_odd = "items" in schema and not isinstance(schema["items"], dict)
    keywords = _SAID - {"items"} if is_odd else _SAID
    rest = {name: part for name, part in schema.items() if name not in keywords}
    if rest:
        yield f"{path} {'另有' if language == 'zh' else 'also'} {_write_compactly(rest)}".strip()


def _write_text(value: Any) -> str:
    return value if isinstance(value, str) else _write_compactly(value)


def _write_compactly(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
