"""No pattern of the product backtracks without limit over words that are repeated."""

from __future__ import annotations

import re

import pytest

from tests.support.extraction.ambiguous_repeats import find_ambiguous_repeat, list_patterns

PACKAGES = ("memories", "knowledgebase", "skills", "tenancy", "console")


@pytest.mark.parametrize("package", PACKAGES)
def test_what_a_pattern_repeats_is_read_in_one_way(package: str) -> None:
    known: set[str] = set()
    patterns = dict(list_patterns(package))
    repeats = {
        place: text for place, pattern in patterns.items() if (text := find_ambiguous_repeat(pattern, known))
    }

    assert patterns
    assert repeats == {}


@pytest.mark.parametrize(
    "pattern",
    [
        "^(?:刚刚?|最近)*去",
        "(?:a+|b)*c",
        r"^(?:(?:oh|and)(?:\s+(?:and )?))+x",
        "(?:(?:今|去)年(?:春天)?|去年)*了",
        "(?:那就|那|就)+吧",
    ],
)
def test_what_is_read_in_two_ways_is_found(pattern: str) -> None:
    assert find_ambiguous_repeat(re.compile(pattern), set())


@pytest.mark.parametrize("pattern", ["^(?:刚|最近)*去", "(?:a|b)*c", "(?:去年|今年){0,4}了", "[a-z]*x"])
def test_what_is_read_in_one_way_is_not_found(pattern: str) -> None:
    assert find_ambiguous_repeat(re.compile(pattern), set()) == ""
