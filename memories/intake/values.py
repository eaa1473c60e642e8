"""What the intake of files passes around: without Django, for the child process reads it too."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MAX_FILES = 20
# A page of a format that has none, in characters.
PAGE_CHARACTERS = 3_000


class FileKind(StrEnum):
    PDF = "pdf"
    DOCX = "docx"
    DOC = "doc"
    TXT = "txt"
    JSON = "json"
    MD = "md"
    XML = "xml"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a document, of a memory's size, and where it stands: a page from 1, or 0 where there are none."""

    text: str
    heading: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a file holds: fragments of a document, or the facts about an image."""

    fragments: tuple[Fragment, ...] = ()
    pages: int = 0
    facts: dict[str, Any] = field(default_factory=dict)


class Unreadable(Exception):
    """The file cannot be read; the reason is a sentence without any word of the file."""


class TooLong(Unreadable):
    """The file has more pages than may be read."""
