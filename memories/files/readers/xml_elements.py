"""XML: the texts of its elements. Entities and whatever leads outside are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from memories.files.readers.document import Block, Document, count_as_pages
from memories.files.values import Unreadable

MAX_LEVELS = 1_000
_TITLES = {"title", "heading", "head", "caption", "h1", "h2", "h3", "h4"}


def read(file: IO[bytes], pages: int) -> Document:
    try:
        return count_as_pages(_iterate_blocks(file), pages)
    except DefusedXmlException:
        cure = "Take out its DOCTYPE and entities, and upload it again."
        raise Unreadable("it declares entities or refers to something outside", cure) from None
    except (ParseError, ValueError, LookupError):
        raise Unreadable(
            "it is not valid XML", "Check it with an XML validator, or upload it as .txt."
        ) from None


def _iterate_blocks(file: IO[bytes]) -> Iterator[Block]:
    depth = 0
    for event, element in iterparse(file, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_LEVELS:
            raise Unreadable(f"it is nested more than {MAX_LEVELS} levels deep", "Make it flatter.")
        if event == "end":
            yield from _read_element(element)
            tail = element.tail
            element.clear()
            element.tail = tail


def _read_element(element: Any) -> Iterator[Block]:
    name = str(element.tag).rpartition("}")[2]
    text = " ".join(" ".join([element.text or "", *(child.tail or "" for child in element)]).split())
    attributes = [f"{key.rpartition('}')[2]}: {value}" for key, value in element.attrib.items()]
    if name.lower() in _TITLES and text:
        yield Block(text, level=1)
    elif text or attributes:
        yield Block("; ".join([f"{name}: {text}" if text else name, *attributes]))
