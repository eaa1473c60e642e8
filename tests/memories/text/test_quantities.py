"""Amounts are read out of what people write, in a moment whatever they write."""

from __future__ import annotations

import time

import pytest

from memories.text.quantities import find_quantities


@pytest.mark.parametrize(
    ("text", "digits", "unit"),
    [
        ("800 yuan", "800", "yuan"),
        ("¥1,200.50 a head", "1,200.50", "yuan"),
        ("at most 15%", "15", "percent"),
        ("为30天", "30", "day"),
        ("3.5 hours", "3.5", "hour"),
    ],
)
def test_an_amount_is_read_with_its_unit(text: str, digits: str, unit: str) -> None:
    (quantity,) = find_quantities(text)

    assert (quantity.digits, quantity.unit) == (digits, unit)


@pytest.mark.parametrize("text", ["2024-01-02", "1.2.3", "1,1111", "9" * 31, "1." + "9" * 31])
def test_what_only_looks_like_an_amount_is_none(text: str) -> None:
    assert find_quantities(text) == []


@pytest.mark.parametrize(
    "text", ["9" * 40_000 + "-1", "1." + "9" * 40_000 + "-1", "1" + ",111" * 10_000 + "-1", "1/" * 20_000]
)
def test_a_page_of_digits_is_read_in_a_moment(text: str) -> None:
    began = time.process_time()

    find_quantities(text)

    assert time.process_time() - began < 1.0
