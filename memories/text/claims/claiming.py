"""Asks all rules about one clause, after putting it into the form that they expect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memories.text import slots
from memories.text.claims import preferences, preferences_chinese
from memories.text.clauses.sentences import opens_sentence
from memories.text.slots.claim import Claim
from memories.text.time import chinese, english

_LEADING_TIME_EN = re.compile(r"^(?P<time>[^,.;]{3,80}?),? (?=(?:I|i|we|We|my|My) )")
_LEADING_TIME_ZH = re.compile("^(?P<time>[^我，,]{2,12})，?(?=我)")
_PRONOUN = re.compile(
    r"\b(?:it|them|those|that)\b(?=\s*(?:$|[.!]|now\b|any ?more\b|at all\b|so much\b|a lot\b|very much\b))",
    re.IGNORECASE,
)
# Any day will do to tell whether words name a time at all.
_SOME_DAY = datetime(2024, 1, 1, tzinfo=UTC)


def find_claims(clause: str, clauses: Sequence[str], language: str, known_thing: str) -> list[Claim]:
    """Find what the clause claims; `known_thing` is what was last liked or disliked, which "it" may mean."""
    if language == "zh":
        return _read_chinese(clause)
    ordered = _move_time_last(clause)
    sentence = ordered if len(clauses) == 1 else ", and ".join(part.rstrip(" .!") for part in clauses)
    claims = preferences.find_english_preferences(ordered, sentence) or slots.find_english_states(ordered)
    if not claims and known_thing:
        named = _PRONOUN.sub(lambda _: known_thing, ordered, count=1)
        claims = preferences.find_english_preferences(named, named) if named != ordered else []
    return claims


def _move_time_last(clause: str) -> str:
    """Rules begin with the person: "Last June I moved to Rome" -> "I moved to Rome last June"."""
    match = _LEADING_TIME_EN.match(clause)
    time = match["time"] if match else ""
    is_opening = opens_sentence(clause) and len(time.split()) > 1
    if not match or not (is_opening or english.find_english_times(time, _SOME_DAY)):
        return clause
    spoken = time if time.split()[0] in ("January", "I") else time[0].lower() + time[1:]
    return f"{clause[match.end() :].rstrip(' .!')} {spoken}"


def _read_chinese(clause: str) -> list[Claim]:
    match = _LEADING_TIME_ZH.match(clause)
    start = match.end() if match and chinese.find_chinese_times(match["time"], _SOME_DAY) else 0
    rest = clause[start:]
    claims = preferences_chinese.find_chinese_preferences(rest, rest) or slots.find_chinese_states(rest)
    return [replace(claim, statement=clause[:start] + claim.statement) for claim in claims]
