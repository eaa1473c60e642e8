"""The old binary DOC, by a small program of the system, which runs in the child's sandbox. Macros do not run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from memories.files.readers.document import Block, Document, build_row_blocks, count_as_pages
from memories.files.readers.plain import decode_text, split_paragraphs
from memories.files.sandbox.confine import forbid_processes
from memories.files.values import Unreadable

PROGRAMS = [
    ["/usr/bin/antiword", "-w", "0", "-m", "UTF-8.txt"],
    ["/usr/bin/catdoc", "-w", "-d", "utf-8"],
]
MAX_TEXT = 20 * 1024 * 1024
HEAD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Streams of the compound file, by which the programs of that time know their own.
_STREAMS = {
    "EncryptedPackage": ("it is encrypted", "Save it without a password and upload it again."),
    "Workbook": ("it is an old .xls inside", "Save it as .xlsx."),
    "PowerPoint Document": ("it is an old .ppt inside", "Save it as .pptx."),
}
_MINE = "WordDocument".encode("utf-16-le")
_CELLS = re.compile(r"\A\|(.*)\|$")


def read(file: IO[bytes], pages: int) -> Document:
    content = file.read()
    _refuse_wrong(content)
    program = next((words for words in PROGRAMS if Path(words[0]).exists()), None)
    if program is None:
        raise Unreadable("this server has no reader for .doc", "Save the file as .docx.")
    text = _run_program(program, content)
    if not text.strip():
        cure = "Open it in a word processor and save it as .docx, without a password."
        raise Unreadable("it holds no text, or is damaged or encrypted", cure)
    return count_as_pages(_iterate_blocks(decode_text(text)), pages)


def _run_program(program: list[str], content: bytes) -> bytes:
    """Run the program with the document as its argument.

    From its standard input it would copy the document into a file, which the sandbox forbids; a file in memory has a
    name that it can open.
    """
    memory = os.memfd_create("document")
    with os.fdopen(memory, "wb") as document:
        document.write(content)
        document.flush()
        with subprocess.Popen(
            [*program, f"/proc/self/fd/{memory}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[memory],
            preexec_fn=forbid_processes,
        ) as running:
            assert running.stdout is not None  # noqa: S101  # asked for above
            return running.stdout.read(MAX_TEXT)


def _refuse_wrong(content: bytes) -> None:
    if content.startswith(HEAD) and _MINE in content:
        return
    for name, (reason, cure) in _STREAMS.items():
        if name.encode("utf-16-le") in content:
            raise Unreadable(reason, cure)
    raise Unreadable("it is not a valid DOC", "Open it in a word processor and save it as .docx.")


def _iterate_blocks(text: str) -> Iterator[Block]:
    """The programs draw tables with strokes; all else is plain text."""
    running: list[str] = []
    rows: list[list[str]] = []
    for line in text.splitlines():
        if cells := _CELLS.match(line.strip()):
            if running:
                yield from split_paragraphs("\n".join(running))
                running = []
            rows.append([" ".join(cell.split()) for cell in cells.group(1).split("|")])
            continue
        if rows:
            yield from build_row_blocks(rows)
            rows = []
        running.append(line)
    yield from build_row_blocks(rows)
    yield from split_paragraphs("\n".join(running))
