"""Whose something is: 对花生过敏的是我老公，不是我 says 我老公对花生过敏，不是我."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.engine.local.chinese.changes.corrections import LEAD
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import tag_words

_SOMEBODY = rf"(?:我?的?(?:{lexis.KIN})|我(?:自己)?|[他她]|{lexis.NAME})"
_WHO_DOES = re.compile(rf"^(?P<action>[^，我]{{2,20}}?)的人?(?:应该|其实|才)*是(?P<who>{_SOMEBODY})$")
# 布洛芬是我妈吃的
_WHOSE = re.compile(
    rf"^(?P<thing>[^，是我]{{2,12}})(?:应该|其实|才)*是(?P<who>{_SOMEBODY})(?P<verb>服用"
    rf"|[吃喝用学养开买穿戴看玩弹打住])的$"
)
_DENIED = re.compile(
    rf"^(?:而|并|才)?不是(?P<who>{_SOMEBODY})(?:(?:服用|[吃喝用学养开买穿戴看玩弹打住])?的)?$"
)
_BEFORE_ACTION = re.compile(rf"^(?P<who>{_SOMEBODY})")
# 最重要的是我儿子 says what somebody means to the user.
_JUDGES = re.compile("最|重要|关键|难|可惜|幸运|高兴|担心|喜欢|爱|怕|希望|开心|搞笑|有意思|辛苦|好$")
_OWN = re.compile(rf"(?:{lexis.OWN})")


def restate_with_subject(clauses: Sequence[str], last: str) -> tuple[str, ...]:
    """The clauses with somebody as the subject of what they do; none where no clause says whose something is.

    `last` are the words of the last statement: a correction denies it of whom that was about.
    """
    first, is_cued = _remove_cue(clauses)
    if not first:
        return ()
    denied = _DENIED.match(first[1]) if len(first) > 1 else None
    rest = first[2:] if denied else first[1:]
    if (whose := _WHOSE.match(first[0])) and denied:
        return (f"{whose['who']}{whose['verb']}{whose['thing']}", f"不是{denied['who']}", *rest)
    does = _WHO_DOES.match(first[0])
    if does is None or _JUDGES.search(does["action"]):
        return ()
    stated = f"{does['who']}{does['action']}"
    if denied:
        return (stated, f"不是{denied['who']}", *rest)
    before = _BEFORE_ACTION.match(last) if is_cued and does["action"] in last else None
    if before and before["who"] != does["who"]:
        return (stated, f"不是{before['who']}", *rest)
    is_of_verb = _OWN.match(does["action"]) or tag_words(does["action"])[0].tag[:1] in ("v", "p")
    return (stated, *rest) if is_of_verb and not is_cued else ()


def _remove_cue(clauses: Sequence[str]) -> tuple[list[str], bool]:
    """The clauses behind 不对 or the like, and whether there was one."""
    text = "，".join(clauses)
    lead = LEAD.match(text)
    return [part for part in text[lead.end() if lead else 0 :].split("，") if part], lead is not None
