"""The YAML at the top of a SKILL.md, of which only plain mappings are read.

Aliases, tags and deep nesting are refused while the text is still events: 306 bytes of aliases are enough to fill a
machine's memory once they are objects. Imports no Django, for the child process reads it too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

MAX_BYTES, MAX_DEPTH = 8 * 1024, 5
_FENCE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)


class BadFrontMatter(Exception):
    """Why the front matter cannot be read, as a sentence that quotes none of it."""


@dataclass(frozen=True, slots=True)
class Split:
    """The text between the first two fences (all of it where there are none) and what follows them."""

    front: str
    body: str


def split(text: str) -> Split:
    """Raises `BadFrontMatter` when the fence that opened is never closed."""
    text = text.removeprefix("\ufeff")
    opened = _FENCE.match(text.lstrip("\r\n"))
    if opened is None:
        return Split(text, "")
    rest = text.lstrip("\r\n")[opened.end() :]
    closed = _FENCE.search(rest)
    if closed is None:
        raise BadFrontMatter("the front matter is not closed by a line of three dashes")
    return Split(rest[: closed.start()], rest[closed.end() :].lstrip("\r\n"))


def read(front: str) -> dict[str, Any]:
    """The mapping. Raises `BadFrontMatter`, with the line where one can be named."""
    if len(front.encode()) > MAX_BYTES:
        raise BadFrontMatter(f"the front matter is longer than {MAX_BYTES // 1024} KB")
    try:
        _refuse_events(front)
        read = yaml.load(front, Loader=_Plain)  # noqa: S506  # a SafeLoader
    except yaml.MarkedYAMLError as fault:
        line = f" (line {fault.problem_mark.line + 1})" if fault.problem_mark else ""
        raise BadFrontMatter(f"the front matter is not valid YAML{line}") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise BadFrontMatter("the front matter is not valid YAML") from None
    if not isinstance(read, dict) or not all(isinstance(key, str) for key in read):
        raise BadFrontMatter("the front matter is not a list of `name: value` lines")
    return read


def _refuse_events(front: str) -> None:
    depth = 0
    for event in yaml.parse(front, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BadFrontMatter("the front matter uses YAML aliases")
        if getattr(event, "tag", None):
            raise BadFrontMatter("the front matter uses YAML tags")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise BadFrontMatter(f"the front matter is nested deeper than {MAX_DEPTH} levels")


class _Plain(yaml.SafeLoader):
    """Safe, and without a second value for a key that is there already."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is a word", key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, "repeated key", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def written(front: dict[str, str]) -> str:
    """A mapping of texts between its fences."""
    lines = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=1_000, default_flow_style=False)
    return f"---\n{lines}---"
