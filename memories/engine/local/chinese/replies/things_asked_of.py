"""Questions of how it is with a thing that they name themselves, and with nobody: 生意好吗, 恢复得怎么样."""

from __future__ import annotations

import re

_HOW_IS = re.compile(
    "^(?:那(?![边里儿个家])|最近|近来|今年|现在|目前|平时)*(?P<what>(?![^，]*(?:[你您我他她它]|什么|啥|[这那](?![边里儿])))[^，]{1,5}?[^，还都也得])得?"
    "(?:还|都|也|最近|现在|平时|比以前|算)*(?:(?:好|正常|顺利|稳定|忙|累|多|贵)[吗么]|好不好|怎么样|如何)$"
)


def find_thing(question: str) -> str:
    """The thing that is asked of; "" where the question is another."""
    found = _HOW_IS.match(question)
    return found["what"] if found else ""


def join_thing_and_reply(thing: str, reply: str) -> str:
    """The reply as said of the thing; "" for 吃饭正常吗？不怎么吃: of what does the same, nothing is said."""
    return "" if any(character in reply for character in thing) else thing + reply
