"""What a file's cells are to a spreadsheet."""

from __future__ import annotations

from typing import Any

import pytest

from console.ui.texts.spreadsheet_cells import escape_formula


@pytest.mark.parametrize(
    "cell", ["=1", "+1", "-1", "@a", "\t=1", "\r=1", "\n1", "  =1", "\u00a0=1", "\uff1d1"]
)
def test_what_could_be_a_formula_is_text(cell: str) -> None:
    assert escape_formula(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "a=1", " a", -5, 1.5, None, True])
def test_what_is_none_stays(cell: Any) -> None:
    assert escape_formula(cell) == cell
