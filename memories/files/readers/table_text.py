"""CSV: rows with the names of their columns, whatever parts their cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import IO

from memories.files.readers.document import Document, build_row_blocks, count_as_pages
from memories.files.readers.plain import read_plain_text
from memories.files.values import Unreadable

MAX_COLUMNS = 200
MAX_CELL = 100_000
SAMPLE = 8_192
_DELIMITERS = ",;\t|"


def read(file: IO[bytes], pages: int) -> Document:
    text = read_plain_text(file, pages)
    csv.field_size_limit(MAX_CELL)
    try:
        return count_as_pages(build_row_blocks(_iterate_rows(text)), pages)
    except csv.Error:
        raise Unreadable("it is not a valid CSV", "Save it again as CSV in UTF-8.") from None


def _iterate_rows(text: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_detect_delimiter(text[:SAMPLE]))
    for row in reader:
        if len(row) > MAX_COLUMNS:
            raise Unreadable(f"it has more than {MAX_COLUMNS} columns", "Take out columns, or split it.")
        yield [" ".join(cell.split()) for cell in row]


def _detect_delimiter(sample: str) -> str:
    """Return what parts the most lines into the same number of cells."""
    lines = sample.splitlines()[:20]
    if not lines:
        return ","
    counts = {sign: [line.count(sign) for line in lines] for sign in _DELIMITERS}
    usual = {sign: max(set(line_counts), key=line_counts.count) for sign, line_counts in counts.items()}
    return max(
        _DELIMITERS, key=lambda sign: (usual[sign] > 0, counts[sign].count(usual[sign]) * (usual[sign] > 0))
    )
