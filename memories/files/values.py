"""What the intake of files passes around.

Without Django, for the child process reads it too; and tuples, which cost it less to load than dataclasses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

MAX_FILES = 20
NO_FACTS: Mapping[str, Any] = MappingProxyType({})
# A page of a format that has none, in characters.
PAGE_CHARACTERS = 3_000
# Chinese, Japanese and Korean, with their marks: says about as much as three letters.
WIDE_CHARACTER = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u3000-\u30ff]")


class FileKind(StrEnum):
    PDF = "pdf"
    DOCX = "docx"
    DOC = "doc"
    TXT = "txt"
    JSON = "json"
    MD = "md"
    XML = "xml"
    HTML = "html"
    CSV = "csv"
    XLSX = "xlsx"
    PPTX = "pptx"
    ZIP = "zip"  # a package of a skill; no document is one
    IMAGE = "image"


class Purpose(StrEnum):
    """Purposes of fragments: beside a message they have a memory's size, in a knowledge base they are passages."""

    MESSAGE = "message"
    KNOWLEDGE = "knowledge"


class Fragment(NamedTuple):
    """A piece of a document and where it stands: a page from 1, or 0 where there are none.

    `text` is the document's own, each word in one fragment only. `context` is what stood before it and helps to
    understand it: the end of the passage before, or the sentence that leads into its list.
    """

    text: str
    heading: str = ""
    page: int = 0
    context: str = ""


class Parsed(NamedTuple):
    """Content of a file: fragments of a document, or the facts about an image.

    Of a PDF, `facts["silent_pages"]` counts the pages that show pictures and hold no text.
    """

    fragments: tuple[Fragment, ...] = ()
    pages: int = 0
    facts: Mapping[str, Any] = NO_FACTS


class Unreadable(Exception):
    """The file cannot be read: why, and what its owner can do about it; neither holds a word of the file."""

    def __init__(self, reason: str, cure: str = "") -> None:
        super().__init__(reason)
        self.cure = cure


class TooLong(Unreadable):
    """The file has more pages than may be read."""
