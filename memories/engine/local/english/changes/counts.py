"""A bare number that takes the place of one that was said before: "Kyle left, so it's two now", "that makes six"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memories.text.clauses.changed_values import Sort, Value, find_values
from memories.text.tokenize import extract_keywords

_NUMBER = r"(?:\d{1,3}|[a-z]+(?:-[a-z]+)?)"
_NOW = r"(?:\ (?:of\ (?:them|us)|now|left|in\ all|in\ total|altogether|instead))"
_COUNT = re.compile(
    rf"""^(?:(?P<rest>.+?)(?:[,;]\ |\ [–-]+\ |(?=\ so\b)\ ))?(?:so\ |and\ |which\ means\ |now\ )*
    (?: (?:it|that|there)(?:'s|\ is|\ are|'re)\ (?:only\ |just\ |down\ to\ |up\ to\ )*(?P<are>{_NUMBER}){_NOW}+
      | (?:that|which|it)\ makes\ (?:it\ )?(?P<make>{_NUMBER}){_NOW}*
      | (?:I|we)(?:'m|'re|\ am|\ are)\ (?:now\ )?(?:down|up)\ to\ (?P<down>{_NUMBER}){_NOW}*
      | (?:I|we)(?:'ve\ got|\ have)\ (?:only\ |just\ )?(?P<have>{_NUMBER}){_NOW}+
    )(?:[,;]\ (?P<behind>.+?))?[.!]*$""",
    re.IGNORECASE | re.VERBOSE,
)
# Of lengths of time, prices and lengths there are many in a talk; what "it" counts are things.
NOT_COUNTED = frozenset(
    extract_keywords(
        "second seconds minute minutes hour hours day days week weeks month months year years night nights km kilometre"
        " kilometres mile miles metre metres meter meters foot feet inch inches kg kilo kilos gram grams litre litres percent"
        " euro euros pound pounds dollar dollars degree degrees time times"
    )
)


@dataclass(frozen=True, slots=True)
class Count:
    """The number that holds now, and what the sentence says before and behind it, if it `is_last` nothing."""

    number: str
    beside: tuple[str, ...]
    is_last: bool


def find_count(sentence: str) -> Count | None:
    """What a sentence counts anew without naming it; None where it counts nothing."""
    match = _COUNT.match(sentence.strip())
    if match is None:
        return None
    number = match["are"] or match["make"] or match["down"] or match["have"]
    if not any(value.sort == Sort.NUMBER for value in find_values(number)):
        return None
    return Count(
        number,
        tuple(part.strip(" ,;") for part in (match["rest"], match["behind"]) if part),
        not match["behind"],
    )


def count_anew(sources: Sequence[str], number: str) -> tuple[int, str, str] | None:
    """The newest clause that counts things: its place, its words with the new number, and the old number."""
    for at in range(len(sources) - 1, -1, -1):
        source = sources[at]
        counting = [value for value in find_values(source) if _counts_things(value, source)]
        if len(counting) == 1:
            start, end = counting[0].start, counting[0].end
            now = "" if re.search(r"\bnow\b", source) else " now"
            text = f"{source[:start]}{number}{source[end:].rstrip(' .!')}{now}"
            return at, text, source[start:end]
    return None


def _counts_things(value: Value, source: str) -> bool:
    """Whether the number stands before the things that it counts.

    "One of the schools" tells nothing of how many there are, and "hit 1900 on Sunday" counts no things.
    """
    names_things = bool(_THINGS.match(source, value.end))
    return names_things and (
        value.sort == Sort.NUMBER and value.unit.isalpha() and value.unit not in NOT_COUNTED
    )


_THINGS = re.compile(
    r" (?!(?:of|on|in|at|to|for|from|with|by|and|or|but|so|as|than|per|a|an|the|now|then|when)\b)[a-z]",
    re.IGNORECASE,
)
