"""Put one entry into a configuration file and leave everything else as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from engram_cli.failures import CommandFailed

INDENT = re.compile(r"\n([ \t]+)\S")
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def merge_json(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """Raises `CommandFailed` for a file that is not plain JSON: comments would be lost."""
    try:
        whole = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise CommandFailed(
            f"it is not plain JSON ({error}); put this into it by hand:\n{snippet(keys, name, entry)}"
        ) from error
    table = whole
    for key in keys:
        table = table.setdefault(key, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise CommandFailed(
            f"{'.'.join(keys)} in it is not a table; put this into it by hand:\n{snippet(keys, name, entry)}"
        )
    if table.get(name) == entry:
        return text
    table[name] = entry
    indent = INDENT.search(text)
    return json.dumps(whole, ensure_ascii=False, indent=indent[1] if indent else 2) + "\n"


def snippet(keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    nested: dict[str, Any] = {name: entry}
    for key in reversed(keys):
        nested = {key: nested}
    return json.dumps(nested, ensure_ascii=False, indent=2)


def merge_toml(text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any]) -> str:
    """Replace or append the entry's table as text, so that comments and order stay.

    Raises `CommandFailed` where the result would change anything else.
    """
    block = toml_table((*keys, name), entry)
    try:
        before = tomllib.loads(text)
        if at(before, (*keys, name)) == entry:
            return text
        merged = replace_table(text, (*keys, name), block)
        after = tomllib.loads(merged)
    except tomllib.TOMLDecodeError as error:
        raise CommandFailed(
            f"it cannot be changed safely ({error}); put this into it by hand:\n{block}"
        ) from error
    if at(after, (*keys, name)) != entry or without(after, (*keys, name)) != without(before, (*keys, name)):
        raise CommandFailed(f"it cannot be changed safely; put this into it by hand:\n{block}")
    return merged


def toml_table(path: Sequence[str], entry: Mapping[str, Any]) -> str:
    lines = [f"[{'.'.join(path)}]"]
    lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in entry.items()]
    return "\n".join(lines) + "\n"


def toml_key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else json.dumps(key)


def toml_value(value: Any) -> str:
    """Texts and tables of texts; JSON's escapes are TOML's too."""
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{toml_key(key)} = {toml_value(entry)}" for key, entry in value.items()) + " }"
        )
    return json.dumps(value, ensure_ascii=False)


def replace_table(text: str, path: Sequence[str], block: str) -> str:
    """The text with the table of this path and those below it replaced by the block; else the block at the end."""
    dotted = r"\s*\.\s*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in path)
    own = re.compile(rf"\s*\[\s*{dotted}\s*(?:\.[^\]]*)?\]")
    kept: list[str] = []
    is_ours = is_placed = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            is_ours = bool(own.match(line))
            if is_ours and not is_placed:
                kept.append(block)
                is_placed = True
        if not is_ours:
            kept.append(line)
        elif not line.strip() and is_placed and kept[-1] == block:
            kept.append(line)  # the empty line between our table and the next
    merged = "".join(kept)
    if is_placed:
        return merged
    gap = "" if not merged else "\n" if merged.endswith("\n") else "\n\n"
    return merged + gap + block


def at(whole: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = whole
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def without(whole: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """A copy without the entry, and without tables that it leaves empty."""
    first, *rest = path
    copy = dict(whole)
    if not rest:
        copy.pop(first, None)
    elif isinstance(copy.get(first), Mapping):
        inner = without(copy[first], rest)
        copy = {key: value for key, value in copy.items() if key != first} | ({first: inner} if inner else {})
    return copy
