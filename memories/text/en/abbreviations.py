"""English abbreviations, whose full stop ends no sentence."""

from __future__ import annotations

import re

_ABBREVIATION = re.compile(
    r"""
    (?:^|[\s(])
    (?:
        mr | mrs | ms | dr | prof | sr | jr | st | vs | etc | e\.g | i\.e | approx | no | inc | ltd | co
        | [a-z] | (?:[a-z]\.)+[a-z]
    )\.$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ENDS_IN_I = re.compile(r"\bI\.$")


def ends_in_abbreviation(text: str) -> bool:
    """Return whether the full stop at the end of the text belongs to its last word: "Dr.", "e.g.", "B."; not to "I".

    The last 12 characters of the text are enough.
    """
    return bool(_ABBREVIATION.search(text)) and not _ENDS_IN_I.search(text)
