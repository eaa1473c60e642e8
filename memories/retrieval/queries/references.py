"""References that a question names exactly: "form 27-B", "QX-000017", "invoice 48213"."""

from __future__ import annotations

import re

from memories.text.words.tokenize import search_terms

# With a letter before a digit ("X200"), parts joined by signs of which one has a letter ("27-B"), or a long number.
# What begins with a digit and goes on with letters is a measure, a time or an ordinal ("5km", "10am", "2nd").
_REFERENCE = re.compile(
    r"""
    (?<![\w.@/-])(?:
        (?=[A-Za-z0-9./_-]*\d)[A-Za-z0-9]+(?:[-/._][A-Za-z0-9]+)+ | [A-Za-z]+\d[A-Za-z0-9]* | \d{5,}
    )(?![\w@-])
    """,
    re.VERBOSE,
)
_HAS_LETTER = re.compile("[A-Za-z]")
# "2-year", "3-day", "24-hour", "5-star": a count before an English word.
_COUNTED = re.compile(r"\d+(?:[-.]\d+)*-[a-z]{3,}(?:-[a-z]+)*")
# A page of text holds more numbers than a question means.
_MOST = 4


def find_references(text: str) -> tuple[str, ...]:
    """The terms of each, with spaces between, as rows hold them."""
    references = dict.fromkeys(
        " ".join(search_terms(match[0])) for match in _REFERENCE.finditer(text) if _is_reference(match[0])
    )
    return tuple(reference for reference in references if reference)[:_MOST]


def _is_reference(word: str) -> bool:
    if _COUNTED.fullmatch(word):
        return False
    return word.isdecimal() or _HAS_LETTER.search(word) is not None
