"""Escape cells of CSV files, so that spreadsheets take none as a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

# What formulas begin with; some spreadsheets skip white space before it, and read full-width signs as plain ones.
_SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Behind these a spreadsheet may begin another cell.
_BREAKS = ("\t", "\r", "\n")


def escape_formula(cell: Any) -> Any:
    """A text that a spreadsheet could take for a formula begins with an apostrophe; numbers are no texts."""
    is_risky = isinstance(cell, str) and (cell.startswith(_BREAKS) or cell.lstrip().startswith(_SIGNS))
    return f"'{cell}" if is_risky else cell


def write_csv_row(cells: Iterable[Any]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(map(escape_formula, cells))
    return line.getvalue().encode()
