"""Statements about relatives and acquaintances of the user, which say nothing of a state of the user's own."""

from __future__ import annotations

import re
from functools import cache

from memories.text.slots.registry import list_relative_words

_OTHERS = (
    "friend colleague coworker boss manager neighbour neighbor flatmate roommate housemate landlord landlady supervisor"
    " teacher instructor coach doctor dentist ex"
).split()
_OTHERS_ZH = (
    "朋友|好友|闺蜜|同事|同学|室友|舍友|邻居|老板|领导|上司|主管|房东|老师|导师|师傅|教练|客户|战友|前任"
)


def is_about_acquaintance(text: str, language: str) -> bool:
    """Return whether somebody whom the user knows is what the statement begins with."""
    return _load_pattern(language).search(text) is not None


@cache
def _load_pattern(language: str) -> re.Pattern[str]:
    relatives = [re.escape(word) for word in list_relative_words()]
    if language == "zh":
        return re.compile(f"^用户的?[大小二三表堂亲]?(?:{'|'.join(relatives)}|{_OTHERS_ZH})")
    return re.compile(rf"^The user's (?:[\w-]+ ){{0,2}}?(?:{'|'.join((*relatives, *_OTHERS))})s?\b(?!['’])")
