"""The old binary DOC, by a small program of the system, which runs under the child's own limits."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import IO

from memories.intake.reading.document import Document, without_pages
from memories.intake.reading.plain import decode, paragraphs
from memories.intake.values import Unreadable

PROGRAMS = [
    ["/usr/bin/antiword", "-w", "0", "-m", "UTF-8.txt", "-"],
    ["/usr/bin/catdoc", "-w", "-d", "utf-8", "-"],
]
MAX_TEXT = 20 * 1024 * 1024


def read(file: IO[bytes], pages: int) -> Document:
    program = next((words for words in PROGRAMS if Path(words[0]).exists()), None)
    if program is None:
        raise Unreadable("this server has no reader for .doc; save the file as .docx")
    with subprocess.Popen(program, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None  # noqa: S101  # asked for above
        text = running.stdout.read(MAX_TEXT)
        running.kill()
    if not text.strip():
        raise Unreadable("it is not a valid DOC")
    return without_pages(paragraphs(decode(text)), pages)
