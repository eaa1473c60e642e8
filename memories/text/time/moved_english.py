"""Days that something was moved from, and ends that are of the month of their beginning: "from Monday to Thursday", "We
go on 3 August and we're back by the 17th"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.text.en.case import fold_case
from memories.text.en.verbs import PAST
from memories.text.time.dates import MONTHS, Mention
from memories.text.time.words_english import DAY, MONTH

_MOVED = (
    r"\b(?:mov(?:ed?|ing)|switch(?:ed|ing)?|chang(?:ed?|ing)|push(?:ed|ing)?|postponed?|reschedul(?:ed?|ing)|shift(?:ed|ing)?"
    r"|swap(?:ped|ping)?|delay(?:ed|ing)?|put|brought)\b"
)
_MOVED_FROM = re.compile(rf"{_MOVED}[^.;!?]{{0,60}}? from (?:on )?(?:the )?$", re.IGNORECASE)
_TO_ANOTHER = re.compile(
    rf" (?:[a-z]+ )?to (?:the )?(?:{DAY}|{MONTH}|next|this|[0-3]?\d(?:st|nd|rd|th)?)\b", re.IGNORECASE
)


def was_moved_from(before: str) -> bool:
    """Return whether the day that stands behind these words is one from which something was moved."""
    return _MOVED_FROM.search(before) is not None


def drop_days_moved_from(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The times without those from which something was moved to another: it is not on them any more."""
    return [
        mention
        for mention in mentions
        if not (
            _TO_ANOTHER.match(text, mention.end)
            and was_moved_from(text[: mention.start + len(_read_lead(text[mention.start :]))])
        )
    ]


def _read_lead(words: str) -> str:
    lead = re.match(r"from (?:the )?|the ", words, re.IGNORECASE)
    return lead[0] if lead else ""


_START = re.compile(
    rf"\b(?:(?P<month>{MONTH})\.? (?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?!:|,? \d)\b"
    rf"|(?P<first>[0-3]?\d)(?:st|nd|rd|th)?(?: of)? (?P<of>{MONTH})\b(?!,? \d))",
    re.IGNORECASE,
)
# Between the beginning and the end stand a joint, and a verb of coming back or ending.
_END = re.compile(
    r"""
    (?P<between>[^.;!?]{0,40}?(?:,\ (?:I|we|he|she|they|it|my|our|the)|\ and|\ then|\ but)\b[^.;!?]{0,40}?\b(?:
        back | return(?:s|ing|ed)? | home | ends? | ended | finish(?:es|ed)? | leav(?:e|es|ing)
        | fl(?:y|ies|ying)\ (?:out|home) | until | till
    )\b[^.;,!?\d]{0,20}?)\ the\ (?P<end>[0-3]?\d)(?:st|nd|rd|th)\b(?=
        [,.;:!?)]|$|\ (?:and|at|for|with|so|but|because)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def with_month_of_start(sentence: str) -> str:
    """The sentence with the month of the beginning behind a bare end: "We go on August 3rd and we're back by the 17th
    of August". An end before that day is of the next month."""
    start = _START.search(sentence)
    end = _END.match(sentence, start.end()) if start else None
    if start is None or end is None:
        return sentence
    # Of two tenses, the days may be of two months: "I paid on 3 August and leave on the 17th".
    if _is_past(sentence[: start.start()]) != _is_past(end["between"]):
        return sentence
    name, first = start["month"] or start["of"], int(start["day"] or start["first"])
    number = next(n for n, month in enumerate(MONTHS) if month[:3].lower() == fold_case(name[:3]))
    month = MONTHS[(number + (int(end["end"]) <= first)) % 12]
    return f"{sentence[: end.end()]} of {month}{sentence[end.end() :]}"


def _is_past(words: str) -> bool:
    return any(word in PAST or (word.endswith("ed") and len(word) > 4) for word in words.lower().split())
