"""Which Chinese memories end by a new team, workplace, client or number: 转会到星火队了 ends 在光明队踢球.

A cured illness ends too, and 用户现在在职业学校教烹饪 ends 用户是厨师. Only memories of one clause, which says
nothing besides. Simplified characters.
"""

from __future__ import annotations

import re

from memories.text.slots.states import find_states

_HAN = "[\u4e00-\u9fff]"
_WHO = rf"(?P<who>用户(?:的{_HAN}{{1,3}}?)?)"
_WHEN = "(?:现在|如今|目前|今年|去年|上个?月|最近|刚|已经|（[^）]{1,20}）){0,3}"
_TEAM = rf"(?P<team>{_HAN}{{1,8}}?(?:队|俱乐部|合唱团|乐团|剧团|舞团|乐队))"
_BELONGS = re.compile(rf"^{_WHO}(?:现在)?(?:在|给|为|代表){_TEAM}(?P<action>踢|打|跑|唱|跳|拉|弹|吹|演|当)")
_TRANSFERRED = re.compile(rf"^{_WHO}{_WHEN}(?:转会|转|加盟|跳槽)(?:到|去|至)?了?{_TEAM}了?$")
_TEACHES_NOW = re.compile(
    rf"^用户(?:现在|如今)在{_HAN}{{0,10}}(?:学校|学院|大学|中专|技校|驾校|培训班|培训中心)(?:教(?!育)"
    rf"|当(?:教练|老师|讲师|教官))"
)
_FOREMOST = re.compile(
    r"""
    ^(?P<now>现在|如今|目前)?(?:用户)?的?(?P<late>现在|如今|目前)?最(?P<how>大|主要|重要|要好|好)的?
    (?P<what>客户|主顾|供应商|供货商|合作方|朋友|搭档)(?P<after>现在|如今)?(?:是|叫|变成了?|成了)
    (?P<value>[^，。]{2,20})$
    """,
    re.VERBOSE,
)
_NEAREST = frozenset({"好", "要好"})
_BUYERS = frozenset({"客户", "主顾"})
_NUMBER = "(?P<number>[0-9][0-9-]{5,20})"
_NUMBERED = re.compile(rf"^(?:用户的?)?(?P<of>{_HAN}{{2,6}}?)的?(?:电话|号码|座机|电话号码)是{_NUMBER}$")
_NUMBER_CHANGED = re.compile(
    rf"^(?:用户的?)?(?P<of>{_HAN}{{2,6}}?)的?(?:电话|号码|座机|电话号码)(?:现在|已经)?(?:换成|改成|换"
    rf"|改|现在是)了?{_NUMBER}了?$"
)
_CURED = re.compile(
    r"""
    ^(?P<who>用户(?:的[^的，]{1,4})?)的(?P<what>[^的，]{2,6}?)(?:已经|终于|都|总算|全)?
    (?:好了|痊愈了|治好了|康复了|断根了)$
    """,
    re.VERBOSE,
)
_HAS_ILLNESS = re.compile(
    r"^(?P<who>用户(?:的[^的，]{1,4}?)?)(?:得了?|有|患有?|患上了?)(?P<what>[^的，]{2,6})$"
)
# What goes on for life is only better for a while.
_FOR_LIFE = re.compile("糖尿病|高血压|高血脂|过敏|乙肝|艾滋|残疾")


def is_place_taken_in_chinese(new: str, old: str) -> bool:
    """Both are memories; the new one may have a full stop."""
    new, old = new.rstrip("。！"), old.rstrip("。！")
    if "，" in old or any(mark in new + old for mark in "“「[") or "也" in new:
        return False
    first = new.split("，")[0]
    return (
        _belongs_elsewhere(first, old)
        or (_TEACHES_NOW.match(first) is not None and _has_job(old))
        or _is_foremost_now(first, old)
        or _is_reached_otherwise(first, old)
        or _is_cured(first, old)
    )


def _belongs_elsewhere(new: str, old: str) -> bool:
    joined, held = _TRANSFERRED.match(new), _BELONGS.match(old)
    return bool(joined and held and joined["who"] == held["who"] and joined["team"] != held["team"])


def _has_job(old: str) -> bool:
    return any(state.slot == "job" and not state.is_end for state in find_states(old, "zh"))


def _is_foremost_now(new: str, old: str) -> bool:
    ours, theirs = _FOREMOST.match(new), _FOREMOST.match(old)
    if not ours or not theirs or not (ours["now"] or ours["late"] or ours["after"]):
        return False
    if (ours["how"] in _NEAREST) != (theirs["how"] in _NEAREST) or ours["value"] == theirs["value"]:
        return False
    return ours["what"] == theirs["what"] or {ours["what"], theirs["what"]} <= _BUYERS


def _is_reached_otherwise(new: str, old: str) -> bool:
    ours, theirs = _NUMBER_CHANGED.match(new), _NUMBERED.match(old)
    return bool(
        ours
        and theirs
        and ours["of"].removesuffix("的") == theirs["of"]
        and ours["number"] != theirs["number"]
    )


def _is_cured(new: str, old: str) -> bool:
    ours, theirs = _CURED.match(new), _HAS_ILLNESS.match(old)
    if not ours or not theirs or ours["who"] != theirs["who"] or _FOR_LIFE.search(old):
        return False
    return theirs["what"].endswith(ours["what"]) or ours["what"].endswith(theirs["what"])
