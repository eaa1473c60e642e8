"""A bare number that takes the place of one that was said before: "Kyle left, so it's two now", "that makes six"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memories.text.clauses.stated_values import StatedValue, ValueSort, find_values
from memories.text.en.verbs import PAST
from memories.text.words.tokenize import extract_keywords

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
        "second seconds minute minutes hour hours day days week weeks month months year years night "
        "nights km kilometre"
        " kilometres mile miles metre metres meter meters foot feet inch inches kg kilo kilos gram "
        "grams litre litres percent"
        " euro euros pound pounds dollar dollars degree degrees time times"
    )
)


@dataclass(frozen=True, slots=True)
class Count:
    """The number that holds now, and what the sentence says before and behind it, if it `is_last` nothing.

    It `is_sum` where one more "makes" so many.
    """

    number: str
    beside: tuple[str, ...]
    is_last: bool
    is_sum: bool = False


def find_count(sentence: str) -> Count | None:
    """Find what a sentence counts anew without naming it; None where it counts nothing."""
    match = _COUNT.match(sentence.strip())
    if match is None:
        return None
    number = match["are"] or match["make"] or match["down"] or match["have"]
    if not any(value.sort == ValueSort.NUMBER for value in find_values(number)):
        return None
    return Count(
        number,
        tuple(part.strip(" ,;") for part in (match["rest"], match["behind"]) if part),
        not match["behind"],
        bool(match["make"]),
    )


def count_anew(sources: Sequence[str], count: Count) -> tuple[int, str, str] | None:
    """The newest clause that counts things: its place, its words with the new number, and the old number."""
    for at in range(len(sources) - 1, -1, -1):
        source = sources[at]
        counting = [value for value in find_values(source) if _counts_things(value, source)]
        if len(counting) == 1:
            start, end = counting[0].start, counting[0].end
            behind = _inflect_noun(source[end:].rstrip(" .!"), counting[0], find_values(count.number)[0])
            if not behind or (count.is_sum and not _is_more(find_values(count.number)[0], counting[0])):
                return None
            now = "" if re.search(r"\bnow\b", source) else " now"
            return at, f"{source[:start]}{count.number}{behind}{now}", source[start:end]
    return None


def _is_more(new: StatedValue, old: StatedValue) -> bool:
    """Return whether what "makes" so many are more than there were."""
    return not (new.key.isdigit() and old.key.isdigit()) or int(new.key) > int(old.key)


# Words whose plural is not made with an "s" alone, and such as have none.
_IRREGULAR = re.compile(
    r"""
    (?:
        .*(?:
            man | child | person | people | men | foot | feet | tooth | teeth | mouse | mice | goose
            | geese | fe | f | ves | o | oes | [sxz] | [cs]h | [^aeiou]y | ies | ses | xes | hes
        )
        | sheep | fish | deer | aircraft | offspring | staff
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COUNTED = re.compile(
    r"^ (?P<noun>[a-z]+)(?=$|[,;]| (?:in|on|at|of|for|from|with|by|to|now|who|that|which|and|but)\b)",
    re.IGNORECASE,
)


def _inflect_noun(behind: str, old: StatedValue, new: StatedValue) -> str:
    """Return what stands behind the number, with the noun in the new one's form; "" where that is not known."""
    if (old.key == "1") == (new.key == "1"):
        return behind
    noun = _COUNTED.match(behind)
    if noun is None:
        return ""
    word = noun["noun"]
    if new.key == "1":
        bare = word[:-1] if word.endswith("s") else ""
        return (
            f" {bare}{behind[noun.end() :]}" if bare and not _IRREGULAR.match(bare) and len(bare) > 2 else ""
        )
    return "" if _IRREGULAR.match(word) else f" {word}s{behind[noun.end() :]}"


def _counts_things(value: StatedValue, source: str) -> bool:
    """Return whether the number stands before the things that it counts, and somebody has these.

    "One of the schools" tells nothing of how many there are, "hit 1900 on Sunday" counts no things, and "lost one
    colony" is what happened once.
    """
    names_things = bool(_THINGS.match(source, value.end))
    is_counted = value.sort == ValueSort.NUMBER and value.unit.isalpha() and value.unit not in NOT_COUNTED
    return names_things and is_counted and not _is_about_event(source[: value.start])


def _is_about_event(before: str) -> bool:
    """Return whether the verb before a number tells of what happened, and not of what is so since."""
    words = re.findall(r"[a-z]+", before.lower())
    return any((word in PAST or word.endswith("ed")) and word not in _SINCE_THEN for word in words)


# What is had since it was done so.
_SINCE_THEN = frozenset(
    "had got booked invited ordered reserved hired adopted entered enrolled signed need needed".split()
)


_THINGS = re.compile(
    r" (?!(?:of|on|in|at|to|for|from|with|by|and|or|but|so|as|than|per|a|an|the|now|then|when)\b)[a-z]",
    re.IGNORECASE,
)
