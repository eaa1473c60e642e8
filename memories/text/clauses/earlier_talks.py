"""Corrections of what was said in an earlier conversation, brought into the form of a correction that names both
values.

上次跟你说面包十八，说错了，是十七块五 becomes 面包是十七块五，不是十八; the readers know that form. Of "Correction to
what I said in May, it costs 4.40" the statement stays: what it corrects is found among the memories.
"""

from __future__ import annotations

import re

_NUMBER = "[0-9零一二两三四五六七八九十百千万点.]+"
_EARLIER = "(?:上次|上回|上一次|之前|前几天|那天|前阵子|以前)"
_SLIP = "(?:我)?(?:说错|讲错|记错|搞错|弄错|写错|不对|错)了?"
_SAID_ZH = re.compile(
    rf"(?:(?<=[。！？!?，\n ])|^)(?:我)?{_EARLIER}我?(?:跟你|和你|给你|对你)?(?:说|讲|告诉你)(?:的"
    rf"|过)?(?:是)?"
    rf"(?P<what>[^，。！？\d零一二两三四五六七八九十百千万]{{1,12}})(?P<old>{_NUMBER}"
    rf"[^，。！？]{{0,4}})，"
    rf"(?:{_SLIP}，(?:其实|实际上?|应该)?|(?:其实|实际上?|应该))(?:是"
    rf"|有)?(?P<new>{_NUMBER}[^，。！？]{{0,4}})(?=$|[，。！？])"
)
_SAID_EN = re.compile(
    r"""
    (?:(?<=[.!?]\ )|^)(?:(?:Oh|And|Also|So),?\ )?(?:an?\ |one\ )?(?:small\ |quick\ |slight\ )?correction[ ]
    (?:to|of|on|about)\ (?:what|something)\ I\ (?:said|(?:have\ )?told\ you|wrote|mentioned)
    [^,:;.!?]{0,40}[,:]\ (?P<first>\w)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def restate_corrections(text: str, language: str) -> str:
    """The text with what it corrects of earlier conversations said as a plain statement."""
    if language == "zh":
        return _SAID_ZH.sub(_name_both, text)
    return _SAID_EN.sub(lambda match: match["first"].upper(), text)


def _name_both(match: re.Match[str]) -> str:
    """The value that holds and the wrong one, both with the unit that only one of them may have been said with."""
    old, new = match["old"], match["new"]
    unit = re.sub(_NUMBER, "", new, count=1)
    if unit and re.fullmatch(_NUMBER, old):
        old += unit
    return f"{match['what']}是{new}，不是{old}"
