"""Amounts are read out of what people write, in a moment whatever they write."""

from __future__ import annotations

import time

import pytest

from memories.text.quantities import find_quantities


@pytest.mark.parametrize(
    ("said", "digits", "unit"),
    [
        ("800 yuan", "800", "yuan"),
        ("¥1,200.50 a head", "1,200.50", "yuan"),
        ("at most 15%", "15", "percent"),
        ("为30天", "30", "day"),
        ("3.5 hours", "3.5", "hour"),
    ],
)
def test_an_amount_is_read_with_its_unit(said: str, digits: str, unit: str) -> None:
    (found,) = find_quantities(said)

    assert (found.digits, found.unit) == (digits, unit)


@pytest.mark.parametrize("said", ["2024-01-02", "1.2.3", "1,1111", "9" * 31, "1." + "9" * 31])
def test_what_only_looks_like_an_amount_is_none(said: str) -> None:
    assert find_quantities(said) == []


@pytest.mark.parametrize(
    "said", ["9" * 40_000 + "-1", "1." + "9" * 40_000 + "-1", "1" + ",111" * 10_000 + "-1", "1/" * 20_000]
)
def test_a_page_of_digits_is_read_in_a_moment(said: str) -> None:
    began = time.process_time()

    find_quantities(said)

    assert time.process_time() - began < 1.0
