"""Amounts that changed by so much: "The rent went up by 35 euros", 停车费又涨了五十块.

Such a statement names no new value. Where the old one is known, in the same unit, it can be computed; else both stand.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text.clauses.changed_values import find_missing_terms, read_frame
from memories.text.clauses.clausewise import get_words, is_of_one_owner
from memories.text.clauses.stated_values import StatedChange, StatedValue, ValueSort, find_values
from memories.text.words.tokenize import extract_keywords
from memories.text.zh.script import to_simplified

_UP = (
    r"(?:went|gone|going|goes|is|are|was|were|put|came|come|has been|have been)\b[^,.;]{0,30}? up|rose"
    r"|risen|increased|raised|upped|bumped"
)
_DOWN = (
    r"(?:went|gone|going|goes|is|are|was|were|brought|came|come)\b[^,.;]{0,30}? down|fell|fallen|dropped"
    r"|decreased|reduced|lowered|cut"
)
_CHANGED = re.compile(
    rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b[^,.;]{{0,30}}? by (?:another |about "
    rf"|around )?(?P<amount>[^,.;]{{1,30}})",
    re.IGNORECASE,
)
_CHANGED_ZH = re.compile(
    r"""
    (?:(?P<up>[涨加升贵多])|(?P<down>[降减跌]|便宜|少))(?:价)?了(?:差不多|大概)?(?P<amount>
        [0-9一二两三四五六七八九十百千万.]+(?:块钱?|元|个|斤|公斤|米|平米?|小时|分钟|天)
    )(?=$|[，。了])
    """,
    re.VERBOSE,
)
_WORDS = frozenset(
    extract_keywords(
        "went up down rose raised risen increased reduced fell dropped cut lowered more another by put "
        "lesson's each month year"
    )
) | frozenset("涨 加 升 降 减 又 再 涨 了".split())
_UNITS = {"元": "块", "€": "euro", "£": "pound", "$": "dollar", "¥": "块", "￥": "块"}
_PLAIN = re.compile(r"[$€£¥￥]? ?(?P<number>[\d.,]+|[A-Za-z -]+|[一二两三四五六七八九十百千万零]+)")


def says_difference(text: str) -> bool:
    """Return whether it says by how much something changed, and not to what."""
    return _find_difference(get_words(text)) is not None


def compute_new_values(new_text: str, old_text: str) -> tuple[StatedChange, ...]:
    """The amount in the old statement, in its words, and the one that holds since the new statement; none where that is
    not certain."""
    new_text, old_text = to_simplified(new_text), to_simplified(old_text)
    new, old = get_words(new_text), get_words(old_text)
    change = _find_difference(new)
    if change is None or not is_of_one_owner(new_text, old_text) or _find_difference(old) is not None:
        return ()
    clause, sign, difference = change
    topic = read_frame(clause).terms - _WORDS
    held = [
        value
        for value in find_values(old)
        if value.sort == ValueSort.NUMBER and _get_unit(value) == _get_unit(difference)
    ]
    is_about_it = bool(topic) and not find_missing_terms(topic, read_frame(old).terms)
    if not is_about_it or len(held) != 1 or not _get_unit(difference):
        return ()
    written = old[held[0].start : held[0].end]
    plain = _PLAIN.fullmatch(written)
    result = float(held[0].key) + sign * float(difference.key)
    if plain is None or result <= 0:
        return ()
    computed = f"{result:.2f}".rstrip("0").rstrip(".")
    return (StatedChange(written, written.replace(plain["number"], computed)),)


@lru_cache(maxsize=2_048)
def _find_difference(text: str) -> tuple[str, int, StatedValue] | None:
    for clause in re.split(r"[，。；;]|, (?!\d)|\. ", text):
        match = _CHANGED.search(clause) or _CHANGED_ZH.search(clause)
        amounts = (
            [value for value in find_values(match["amount"]) if value.sort == ValueSort.NUMBER]
            if match
            else []
        )
        if match and len(amounts) == 1:
            topic = (
                re.sub("[又再也都已经]+$", "", clause[: match.start()])
                if match.re is _CHANGED_ZH
                else clause[: match.start("amount")]
            )
            return topic, 1 if match["up"] else -1, amounts[0]
    return None


def _get_unit(value: StatedValue) -> str:
    return _UNITS.get(value.unit, value.unit)
