"""PPTX: each slide is a page with its title as the heading; then its texts, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from lxml.etree import XMLSyntaxError
from pptx import Presentation
from pptx.exc import PythonPptxError

from memories.files.readers.document import Block, BlockRole, Document, build_row_blocks, refuse_pages
from memories.files.readers.office.package import open_package
from memories.files.values import PAGE_CHARACTERS, Unreadable

MAX_DEPTH = 8


def read(file: IO[bytes], pages: int) -> Document:
    light = open_package(file, "pptx")
    try:
        slides = Presentation(light).slides
        refuse_pages(len(slides), pages)
        blocks = [
            block for number, slide in enumerate(slides) for block in _iterate_slide_blocks(slide, number + 1)
        ]
    except (PythonPptxError, XMLSyntaxError, KeyError, ValueError, AttributeError):
        cure = "Open it in its program and save it again as .pptx."
        raise Unreadable("it is not a valid PPTX", cure) from None
    if not blocks:
        raise Unreadable("it holds no text, only pictures", "Upload the text itself.")
    refuse_pages(sum(len(block.text) for block in blocks) // PAGE_CHARACTERS, pages)
    return Document(blocks, len(slides))


def _iterate_slide_blocks(slide: Any, page: int) -> Iterator[Block]:
    title = slide.shapes.title
    if title is not None and (text := _join_lines(title.text_frame.text)):
        yield Block(text, level=1, page=page)
    for shape in slide.shapes:
        if title is None or shape.shape_id != title.shape_id:
            yield from _iterate_shape_blocks(shape, page, 0)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield from _iterate_paragraphs(slide.notes_slide.notes_text_frame, page)


def _iterate_shape_blocks(shape: Any, page: int, depth: int) -> Iterator[Block]:
    if getattr(shape, "has_table", False):
        rows = ([_join_lines(cell.text) for cell in row.cells] for row in shape.table.rows)
        yield from build_row_blocks(rows, page)
    elif shape.has_text_frame:
        yield from _iterate_paragraphs(shape.text_frame, page)
    elif hasattr(shape, "shapes") and depth < MAX_DEPTH:
        for inner in shape.shapes:
            yield from _iterate_shape_blocks(inner, page, depth + 1)


def _iterate_paragraphs(frame: Any, page: int) -> Iterator[Block]:
    """Several in one frame are what a slide shows as a list, unless they are whole sentences."""
    texts = [text for paragraph in frame.paragraphs if (text := _join_lines(paragraph.text))]
    for text in texts:
        is_item = len(texts) > 1 and text is not texts[0] and len(text) < 200
        yield Block(text, page=page, role=BlockRole.ITEM if is_item else BlockRole.PARAGRAPH)


def _join_lines(text: str) -> str:
    return " ".join(text.split())
