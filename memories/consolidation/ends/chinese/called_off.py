"""Which appointments, bookings and plans are called off in Chinese: 牙医的预约取消了 ends 预约了牙医.

Each clause is read by itself. What is called off must be named by the words of the arrangement; where it is called
只 预约 or 行程, it may be any one, and the caller sees to it that there is no other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memories.text.clauses.wording import DATES
from memories.text.slots.registry import join_relation_words
from memories.text.words.word_lists import load_alternatives
from memories.text.zh.script import to_simplified

_WORDS = load_alternatives(Path(__file__).with_name("ends.toml"))
_HAN = "[\u4e00-\u9fffA-Za-z0-9]"
_KIN = join_relation_words("zh")
_CLAUSE = re.compile("[，。；！]")
_UNSURE = re.compile(_WORDS["doubts_of_plans"])
_OVER = "取消|放弃|不要|不订|不约|退|黄|泡汤|作废|告吹|吹|不办|不搞|不弄"
_WHO_BEFORE = rf"(?:用户的(?P<kin>{_KIN})|用户(?:等人|家)?|(?P<name>(?!用户){_HAN}{{2,3}}(?=把|将)))?"
_MIDDLE = "(?:用户(?:等人)?|我们?|已经|(?<=[^，][^，])都|也|被|给|又|临时|就|只好|最后|决定|[那这]个)*"
_DONE = (
    re.compile(
        rf"^{_WHO_BEFORE}{_MIDDLE}(?:把|将)(?P<what>[^，]{{1,16}}?)(?:给|都|也)*(?:取消|退|推)(?:掉|了)+$"
    ),
    re.compile(rf"^{_WHO_BEFORE}{_MIDDLE}(?:取消|退)(?:掉|了)+(?P<what>[^，]{{1,16}}?)$"),
    re.compile(rf"^{_WHO_BEFORE}{_MIDDLE}取消(?P<what>[^，了]{{1,16}}?)了$"),
    re.compile(rf"^{_WHO_BEFORE}的?(?P<what>[^，]{{1,16}}?){_MIDDLE}(?:{_OVER})掉?了$"),
    re.compile(rf"^{_WHO_BEFORE}决定取消(?P<what>[^，]{{1,16}}?)$"),
)
# 成都不去了, 不去成都了, 去不成成都了: of a plan it says that nothing comes of it.
_NOT_DONE = re.compile(
    rf"^{_WHO_BEFORE}的?(?P<what>[^，不]{{0,16}}?){_MIDDLE}(?:不(?P<verb>去|参加|考|报|约|见|看|跑|办)"
    rf"|(?:去|(?P<verb2>参加|考|看|跑|办))不[成了])(?P<behind>[^，]{{0,12}}?)了$"
)
# 最后没转成, 房子没买成, 结果没辞职: a plan that came to nothing, with or without its words.
_CAME_TO_NOTHING = re.compile(
    rf"^(?:用户的(?P<kin>{_KIN})|用户(?:等人|家)?|(?P<name>(?!用户|最后|结果){_HAN}{{2,3}}?)(?=最后"
    rf"|结果|终究|到底))?的?(?P<what>[^，没不]{{0,10}}?)(?:用户(?:等人)?|后来|也|还是|又|终于|都)*"
    rf"(?:(?P<final>最后|结果|终究|到底)(?:也|还是|又|都|就)*)?没(?:有"
    rf"|能)?(?P<verb>{_HAN})(?P<done>成)?(?P<behind>[^，]{{0,8}}?)了?$"
)
# Of these verbs people have several plans at a time: without what is done, nobody knows which is meant.
_LIGHT_VERBS = frozenset("去做买看弄办来吃喝打用说要有想能会")
_PLANS = "打算|计划|准备|(?<![需想重主])要|想|将|会"
# What only says of what kind it is.
_GENERAL = re.compile(
    "(?:预约|预定|预订|订单|计划|行程|之行|之旅|安排|活动|事情?|那个|这个|[那这][次场趟]|号)"
)
_STAYS = re.compile(
    "用户(?:等人|家)?的?|[的了她他我]|已经|(?:上|下|这|本)?(?:周|星期|礼拜)[一二三四五六日天末]?"
    "|\\d+[月号日点]|[上下中]午|晚上"
)
_ARRANGED = re.compile(_WORDS["arrangements"])
_BOOKED = re.compile("约|挂了?号|订|定|安排|计划|打算|行程")
_PAST = re.compile("以前|曾经|去过|取消|不[去办参]|没")
_DAY = "(?:周|星期|礼拜|月|次)"
# What is longer says more than what it calls off.
_LEAST, _LONGEST = 2, 120


@dataclass(frozen=True, slots=True)
class CalledOff:
    """Appointment or plan that is called off: whose it is ("" for the user's or nobody's), and the words that name it;
    none where it is only called 预约."""

    who: str
    named: tuple[str, ...]
    days: frozenset[str]
    # Whether it is only one of what comes again and again: 这周的游泳课.
    is_once: bool
    # What is not done any more: 去 of 成都不去了.
    action: str = ""
    # It was meant to be done, and came to nothing: 没转成.
    has_failed: bool = False

    def spares(self, old: str) -> bool:
        """Return whether the older statement tells of what goes on after this one time."""
        return self.is_once and "每" in old

    def is_of(self, old: str) -> bool:
        """Return whether the older statement tells of just this, and of nothing else that would be lost with it."""
        return _is_called_off(self, to_simplified(old))

    def names_day_of(self, old: str) -> bool:
        """Return whether both name the same day."""
        return bool(self.days & _find_days(to_simplified(old)))


@lru_cache(maxsize=512)
def read_calling_off(new: str) -> CalledOff | None:
    """Return what a clause of the statement calls off; None where none calls off anything for certain."""
    new = to_simplified(new)
    if len(new) > _LONGEST or any(mark in new for mark in "“”「」["):
        return None
    clauses = _CLAUSE.split(re.sub("（[^（）]*）", "", new))
    for at, clause in enumerate(clauses):
        if not clause or _UNSURE.search(clause):
            continue
        # 今天下雨，不去健身房了
        is_once = _is_once(clause) or any(_OF_ONE_DAY.search(before) for before in clauses[:at])
        match = next((hit for pattern in _DONE if (hit := pattern.match(clause))), None)
        if match is None and (called := _read_coming_to_nothing(clause, new)):
            return called
        if match is None:
            if (match := _NOT_DONE.match(clause)) and (
                named := _find_named(match["what"] or match["behind"] or "")
            ):
                return CalledOff(
                    match["kin"] or "",
                    named,
                    _find_days(new),
                    is_once,
                    match["verb"] or match["verb2"] or "",
                )
            continue
        what = match["what"]
        who = match["kin"] or match["name"] or ""
        if owner := re.match(rf"用户的(?P<kin>{_KIN})的?", what):
            who, what = owner["kin"], what[owner.end() :]
        named = _find_named(what)
        if named or _GENERAL.search(what):
            return CalledOff(who, named, _find_days(new), is_once)
    return None


# 照常办, 又决定去西安了: it takes place after all.
_BACK_ON = re.compile(
    "(?:照常|如期|照样)(?:办|举办|举行|进行|开|去|来|参加)?了?$|(?:又|还是|重新)(?:决定|能|可以|要)*(?:恢复|[去办考跑看]|参加|举行)"
)


def is_on_again(new: str, old: str) -> bool:
    """Return whether what the old statement calls off takes place after all, by the same words, for the same person."""
    called = read_calling_off(old)
    if called is None or called.has_failed or not called.named:
        return False
    clauses = _CLAUSE.split(re.sub("（[^（）]*）", "", to_simplified(new)))
    return any(
        _BACK_ON.search(clause)
        and not _UNSURE.search(clause)
        and not re.search("[不没]|取消", clause)
        and all(_is_said(part, clause) for part in called.named)
        and (called.who in clause if called.who else not re.match(f"用户的(?:{_KIN})", clause))
        for clause in clauses
    )


def _read_coming_to_nothing(clause: str, new: str) -> CalledOff | None:
    match = _CAME_TO_NOTHING.match(clause)
    if match is None or not (match["done"] or match["final"]):
        return None
    named = _find_named(match["what"]) + _find_named(match["behind"])
    is_named = any(len(part) >= _LEAST for part in (*named, match["name"] or ""))  # 字节最后没去成
    if match["verb"] in _LIGHT_VERBS and not is_named:
        return None
    who = match["kin"] or match["name"] or ""
    return CalledOff(who, named, _find_days(new), _is_once(clause), match["verb"], has_failed=True)


def _find_named(what: str) -> tuple[str, ...]:
    return tuple(_STAYS.sub(" ", _GENERAL.sub(" ", what)).split())


_OF_ONE_DAY = re.compile("[今明后昨][天晚早](?!起|开始)|这[次趟]")


def _is_once(clause: str) -> bool:
    return (
        re.search(f"[这本上下][个次场趟]?{_DAY}|[今明后昨]天(?!起|开始)|\\d+[号日]|^{_DAY}", clause)
        is not None
    )


def _find_days(text: str) -> frozenset[str]:
    return frozenset(DATES.findall(text))


def _is_called_off(called: CalledOff, old: str) -> bool:
    held = re.sub("（[^（）]*）", "", old.rstrip("。"))
    if (
        called.spares(old)
        or any(mark in old for mark in "“”「」[")
        or not _ARRANGED.search(held)
        or _PAST.search(held)
    ):
        return False
    if called.who:
        is_of = called.who in held
    else:
        is_of = re.match(f"用户的(?:{_KIN})", held) is None
    if not is_of:
        return False
    if called.has_failed:
        is_planned = re.search(f"(?:{_PLANS})[^，]*?{called.action}", held) is not None
        return is_planned and all(_is_said(part, held) for part in called.named)
    if not called.named:
        return _BOOKED.search(held) is not None
    if called.action and called.action not in held:
        return False
    return all(_is_said(part, held) for part in called.named)


def _is_said(part: str, held: str) -> bool:
    return len(part) >= _LEAST and part in held
