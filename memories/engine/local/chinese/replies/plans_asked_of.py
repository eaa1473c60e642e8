"""What somebody is asked to be going to do, with the answer: 周末有什么安排？去爬山 says 我周末打算去爬山."""

from __future__ import annotations

import re

from memories.engine.local.chinese.parsing.tagging import has_own_subject, tag_words

_ASKED = re.compile(
    r"""
    ^(?:那|那么)?[你您]?们?(?P<when>[^，有没打准计想要你您我他她]{0,8}?)(?:
        有(?:没有)?(?:什么|啥|哪些|没有)?(?:其他|别的|特别|具体)?的?(?:安排|计划|打算|活动|节目)[吗么]?
        | (?:打算|准备|计划|想|要)(?:去)?(?:(?:做|干|玩)(?:些|点)?(?:什么|啥)|怎么过)
    )[呢啊呀]?$
    """,
    re.VERBOSE,
)
_DOES = re.compile("^(?:去|和|跟|陪|看|做|吃|学|参加|爬|打|回|带|找|见|睡|宅|逛|在家|到)")
_INTENDS = re.compile("^(?:打算|准备|计划|想|要|应该|可能|大概|就是?)+")
_NO_PLAN = re.compile("^(?:还?没|不|暂时|看情况|再说|随便)|[吗呢？?]")


def answer_what_is_planned(question: str, reply: str) -> str:
    """The reply as what the user is going to do; "" where that is not what is asked, or not what is answered."""
    match = _ASKED.match(question)
    if not match or _NO_PLAN.search(reply) or has_own_subject(reply):
        return ""
    action = _INTENDS.sub("", reply)
    is_done = action and (_DOES.match(action) or tag_words(action)[0].tag == "v")
    if not is_done or re.search("^.{0,3}[了过]|[了过]$", action):
        return ""
    unsure = "可能" if "可能" in reply[:4] or "大概" in reply[:4] else ""
    return f"我{match['when']}{unsure}打算{action}"
