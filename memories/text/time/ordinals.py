"""Days of a month that English writes out: "the twenty-second of May"."""

from __future__ import annotations

from memories.text.en.case import fold_case

_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
# Of the weekdays of a month; the last of them is "last".
NTH = _UNITS[:4]
_FROM_TEN = (
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth"),
    *("fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
)
_DAYS = {
    **{word: number for number, word in enumerate((*_UNITS, *_FROM_TEN), start=1)},
    **{f"twenty-{word}": 20 + number for number, word in enumerate(_UNITS, start=1)},
    "thirtieth": 30,
    "thirty-first": 31,
}
# A pattern: the longer words first, so that none is taken for its beginning.
DAY_IN_WORDS = "|".join(sorted((word.replace("-", "[- ]") for word in _DAYS), key=len, reverse=True))


def parse_day(text: str) -> int:
    """A day of a month in digits or words, from 0 for digits that are none."""
    return int(text) if text.isdigit() else _DAYS[fold_case(text).replace(" ", "-")]
