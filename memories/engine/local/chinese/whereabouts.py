"""Which place 那里, 那儿 and 那边 mean: the last one that the message has named."""

from __future__ import annotations

import re

from memories.engine.local.chinese.parsing.tagging import TaggedWord, tag_words

# Behind them stands where somebody is or goes.
_TO_PLACES = frozenset("在 去 到 来 回 往 搬到 搬去 调到 考到 考上 嫁到 来到 去到 回到 住 位于 上".split())
# What a place's name ends with, where the dictionary does not know the name.
_PLACE_END = re.compile(
    "(?:[省市县区镇乡村屯街路园院店馆校厂社所站场楼岛湖山河湾港城寺庙局坊铺]|公司|单位|机构|中心|大学|小区|工地)$"
)
_PARTS = ("n", "ns", "nt", "nz", "nr", "s", "j", "eng", "a", "b", "uj", "m", "q", "f")
# 我妈那边 is somebody's side, and 那边说不行 is somebody: only behind these it is a place.
_THERE = re.compile("(?:(?<=[在去到来回从往离])|^(?=那[里儿]的)|(?<=^)(?=那边的))那(?:里|儿|边)(?!的?话)")


def find_place(clause: str) -> str:
    """The last place that a clause names: 厦门大学 of 我在厦门大学读的书; "" for none."""
    words = tag_words(clause)
    place = ""
    for at, word in enumerate(words):
        if word.text in _TO_PLACES or (word.text == "了" and at and words[at - 1].text in _TO_PLACES):
            place = _read_place(words[at + 1 :]) or place
    return place


def _read_place(words: tuple[TaggedWord, ...]) -> str:
    """The longest run of nouns at the beginning that ends with a place."""
    place, text = "", ""
    for word in words[:6]:
        if word.tag not in _PARTS:
            break
        text += word.text
        if word.tag in ("ns", "nt") or _PLACE_END.search(word.text):
            place = text
    return place if len(place) > 1 and "那" not in place else ""


def with_place(clause: str, place: str) -> str:
    """The clause with the place in words, where it only points to it."""
    match = _THERE.search(clause) if place else None
    if not match or find_place(clause[: match.start()]):
        return clause
    known = re.sub("^一(?=[家所个座间处])", "那", place)
    return clause[: match.start()] + known + clause[match.end() :]
