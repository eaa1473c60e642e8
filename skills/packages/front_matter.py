"""Reads and writes the YAML front matter of a SKILL.md, of which only plain mappings are accepted.

python-frontmatter splits the file. What it does not check is checked here before YAML builds any object: size,
aliases, tags, depth and repeated keys; 306 bytes of aliases are enough to fill a machine's memory once they are
objects. Imports no Django, because the child process that reads uploaded packages uses it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

MAX_BYTES, MAX_DEPTH = 8 * 1024, 5
# No text of a person has these; YAML can write them as escapes.
_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_INT = "tag:yaml.org,2002:int"
_DECIMAL = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)$")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)  # line ends are "\n" when it is applied


class BadFrontMatter(Exception):
    """Raised when the front matter cannot be read; the reason is a sentence that quotes none of it."""


def parse(text: str) -> tuple[dict[str, Any], str]:
    """Returns the mapping and the body below it; a file without fences is all front matter.

    Raises `BadFrontMatter`, with the line where one can be named.
    """
    return frontmatter.parse(text.removeprefix("\ufeff"), handler=_Handler(_FENCE))


def write(front: dict[str, str]) -> str:
    """Returns the mapping between its fences."""
    lines = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=1_000, default_flow_style=False)
    return f"---\n{lines}---"


class _Handler(YAMLHandler):
    def split(self, text: str) -> tuple[str, str]:
        if not _FENCE.match(text):
            return text, ""
        try:
            return super().split(text)
        except ValueError:
            raise BadFrontMatter("the front matter is not closed by a line of three dashes") from None

    def load(self, fm: str, **kwargs: object) -> dict[str, Any]:
        if len(fm.encode()) > MAX_BYTES:
            raise BadFrontMatter(f"the front matter is longer than {MAX_BYTES // 1024} KB")
        try:
            _refuse_events(fm)
            read = super().load(fm, Loader=_UniqueKeyLoader)
        except yaml.MarkedYAMLError as error:
            line = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
            raise BadFrontMatter(f"the front matter is not valid YAML{line}") from None
        except (yaml.YAMLError, ValueError, ArithmeticError, RecursionError):
            raise BadFrontMatter("the front matter is not valid YAML") from None
        if not isinstance(read, dict) or not all(isinstance(key, str) for key in read):
            raise BadFrontMatter("the front matter is not a list of `name: value` lines")
        for key, value in read.items():
            if any(map(_NO_TEXT.search, _iterate_texts([key, value]))):
                if _NO_TEXT.search(key):
                    raise BadFrontMatter("a name in the front matter holds a sign that no text has")
                raise BadFrontMatter(f"`{key}` holds a sign that no text has")
        return read


def _iterate_texts(value: object) -> Iterator[str]:
    """All keys and values that are texts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for member in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _iterate_texts(member)


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


class _UniqueKeyLoader(yaml.SafeLoader):
    """A SafeLoader that refuses repeated keys, of which YAML would keep the last.

    It leaves dates the texts they are, for JSON has none, and so numbers to another base than ten and times (`0xff`,
    `12:30:00`): Python reads those of any length, and writes none of more than 4,300 digits.
    """

    yaml_implicit_resolvers = {
        first: [pair for pair in resolvers if pair[0] not in {"tag:yaml.org,2002:timestamp", _INT}]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is a word", key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, "repeated key", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_UniqueKeyLoader.add_implicit_resolver(_INT, _DECIMAL, list("-+0123456789"))
