"""Journeys whose day was moved: "the Tokyo trip is now April 9" of who is flying to Tokyo on April 2.

A journey is spoken of with a verb, and later named by its place: 4月2号去东京, then 东京行程改到4月9号了.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.changed_values import read_frame
from memories.text.clauses.stated_values import StatedChange, StatedValue, ValueSort, find_values
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("journeys.toml"))
_HAN = "[\u4e00-\u9fff]"
_NAME = r"[A-Z][\w'-]*(?:\ [A-Z][\w'-]*){0,2}"
_NAMED = re.compile(
    rf"""
    ^(?:(?:The\ user's|The|Their|Our|My)\ )?(?:
        (?P<place>{_NAME})\ (?:{_WORDS["journeys"]}) | (?i:{_WORDS["journeys"]})\ to\ (?P<place2>{_NAME})
    )\ (?:is|was|got|has|now|moved|slipped|starts)\b
    | ^(?:用户(?:等人)?的?)?去?(?P<place_zh>{_HAN}{{2,5}}?)的?(?:{_WORDS["journeys_zh"]})
      (?={_HAN}{{0,3}}?[改推提延挪换])
    """,
    re.VERBOSE,
)
_GOES = re.compile(
    rf"^The user(?: and (?:others|their [\w-]+))? .*?(?:(?:{_WORDS['travels']})"
    rf"|(?:{_WORDS['journeys']}))(?: (?:out|over|back|off|up|down))? to (?P<place>{_NAME})"
)
_GOES_ZH = re.compile(f"^用户(?!的).*?(?:{_WORDS['travels_zh']})(?P<rest>{_HAN}+)")


@lru_cache(maxsize=1_024)
def find_moved_journey(new: str, old: str) -> StatedChange | None:
    """The day of the user's journey in the older statement, and the one that it has been moved to."""
    named = _NAMED.match(new)
    frame = read_frame(new)
    if named is None or not frame.says_changed or frame.is_another:
        return None
    if place := named["place"] or named["place2"]:
        going = _GOES.match(old)
        is_there = going is not None and going["place"] == place
    else:
        going = _GOES_ZH.match(old)
        is_there = going is not None and going["rest"].startswith(named["place_zh"])
    days, moved = _list_days(old), _list_days(new)
    if not is_there or len(days) != 1 or not moved or not moved[0].is_rival_of(days[0]):
        return None
    return StatedChange(old[days[0].start : days[0].end], new[moved[0].start : moved[0].end])


def _list_days(text: str) -> list[StatedValue]:
    """The days that are said themselves: a date in brackets was worked out for another word."""
    return [
        value
        for value in find_values(text)
        if value.sort == ValueSort.DATE and text[value.start - 1 : value.start] not in {"（", "("}
    ]
