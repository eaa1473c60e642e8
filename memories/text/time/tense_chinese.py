"""The tense of a Chinese clause, which tells on which side of today a date in it lies, and whether it tells a habit."""

from __future__ import annotations

import re

from memories.text.time.dates import Tense

# What was booked or agreed on lies ahead, although the booking is over.
_FUTURE = re.compile(
    "[要将]|会(?!议|员|计|儿|所|场)|打算|计划|准备|想|预定|预订|订了|定了|约了|约好|报了|抢到|买[了好][^，]{0,8}票|预产期|截止|到期|开学|出发|举行|之前[得必]|快到|即将|等到|目标"
)
_PAST = re.compile(
    "[了过]|是[^，]{0,12}的$|(?:出生|去世|毕业|入职|结的婚|生的|买的|来的|搬来|开始的)|刚|已经"
)
# What is done again and again has no date of its own.
_HABIT = re.compile(
    "每(?!个人|位)|逢|平时|一般(?!般)|通常|经常|常常|总是|习惯|老是|固定|[一二两三四五六七八九十\\d](?:周|个?星期|个?月|年|天)[^，]{0,6}[一二两三四五六七八九十几\\d]+[次回趟遍]"
)
_CLAUSE_END = re.compile("[，,。；;！!？?\n]")


def clause_around(match: re.Match[str]) -> str:
    """The clause that the match stands in, up to 60 characters on either side."""
    before = match.string[max(0, match.start() - 60) : match.start()]
    after = match.string[match.end() : match.end() + 60]
    end = _CLAUSE_END.search(after)
    return _CLAUSE_END.split(before)[-1] + match.group() + (after[: end.start()] if end else after)


def tense_of(match: re.Match[str]) -> Tense:
    """The tense of the match's own clause, which alone tells on which side of today a date lies."""
    around = clause_around(match)
    if _FUTURE.search(around):
        return Tense.FUTURE
    return Tense.PAST if _PAST.search(around) else Tense.PRESENT


def is_habit(match: re.Match[str]) -> bool:
    return bool(_HABIT.search(clause_around(match)))
