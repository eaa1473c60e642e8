"""Questions of how it is with a thing that they name themselves, and with nobody: 生意好吗, 恢复得怎么样."""

from __future__ import annotations

import re

from memories.engine.local.chinese.parsing.tagging import tag_words

_HOW_IS = re.compile(
    r"""
    ^(?:那(?![边里儿个家])|最近|近来|今年|现在|目前|平时)*(?P<what>
        (?![^，]*(?:[你您我他她它]|什么|啥|[这那](?![边里儿])))[^，]{1,5}?[^，还都也得]
    )得?(?:还|都|也|最近|现在|平时|比以前|算)*(?:
        (?:好|正常|顺利|稳定|忙|累|多|贵)[吗么] | 好不好 | 怎么样 | 如何
    )$
    """,
    re.VERBOSE,
)


def find_thing(question: str) -> str:
    """The thing that is asked of; "" where the question is another."""
    match = _HOW_IS.match(question)
    return match["what"] if match else ""


def join_thing_and_reply(thing: str, reply: str) -> str:
    """The reply as said of the thing; "" for 吃饭正常吗？不怎么吃: of what does the same, nothing is said."""
    return "" if any(character in reply for character in thing) else thing + reply


# 收入如何？一天跑十二个小时: what somebody does day by day is said of them.
_DAY_BY_DAY = re.compile(
    "^(?:每天|天天|每周|每个?月|[一每]个?(?:天|晚上?|周|星期|礼拜|月|年))(?:要|得|都|能|只|就)*(?P<does>[^，]+)"
)


def describes_habit(thing: str, reply: str) -> bool:
    """Return whether the reply says what somebody does again and again, or can do, and not how it is with a thing."""
    if thing in ("恢复", "适应", "身体") and re.match("(?:已经|现在|还|都)*(?:不?能|不?可以|不?会)", reply):
        return True
    match = _DAY_BY_DAY.match(reply)
    first = next(iter(tag_words(match["does"])), None) if match else None
    return first is not None and first.tag == "v" and first.text not in ("有", "是", "需要", "赚", "挣")
