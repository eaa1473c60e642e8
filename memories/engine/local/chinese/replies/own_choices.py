"""What the user chooses after a choice of their own: 看视频还是做项目 … 那我还是做项目吧 is a preference."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.values import Turn

_ASKED = re.compile(
    r"""
    [^，。？?]{1,20}[还還]是[^，。？?]{1,20} | [纠糾]结 | [纠糾]結 | 二[选選]一 | [选選]哪
    | 哪[个個种種](?:更|比[较較])?好 | 要不要
    """,
    re.VERBOSE,
)
# What is chosen for one day is a plan.
_ONE_DAY = re.compile(
    "[今明后後]天|今晚|[这這下][周次個个]|(?:周|星期|礼拜)[一二三四五六日天末]|[0-9一二三四五六七八九十]+[月号號日点點]"
)
_CHOSEN = re.compile(
    r"""
    ^(?:那么?|那就|嗯+|好吧|好的|行)?，?(?:那么?)?我?(?:想了想，?)?(?:我)?[还還]是(?:就)?
    (?!算了|不[了去]|[没沒]|再)(?:[选選](?:[择擇])?)?(?P<what>[^，。！？?]{2,20}?)吧(?=$|[，。！])
    """,
    re.VERBOSE,
)
# So many turns back the choice may have been named.
_FURTHEST = 3


def restate_choice(text: str, before: Sequence[Turn]) -> str:
    """The text with what is chosen as what the user prefers; as it is, where no choice of theirs was named."""
    match = _CHOSEN.match(text)
    asked = [
        turn.text[:400]
        for turn in before[-_FURTHEST:]
        if turn.role == "user" and _ASKED.search(turn.text[:400])
    ]
    if match is None or not asked or _ONE_DAY.search(match[0] + asked[-1]):
        return text
    return f"我更倾向于{match['what']}{text[match.end() :]}"
