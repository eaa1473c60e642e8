"""Which memories end by another value of the same thing: "was given a new locker, 142" ends "the locker is 117".

The user was given another such thing, is on another shift, or does better than before: "is back on earlies" ends "is on
lates", and "has a new 5k PB, 20:58" ends "the 5k PB is 21:30". English, in the third person.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memories.text.clauses.changing.habits import BESIDES, NOW, PASSING
from memories.text.clauses.stated_values import find_values
from memories.text.slots.registry import join_relation_words
from memories.text.words.tokenize import extract_keywords

_KIN = join_relation_words("en")
SHIFT = (
    r"(?P<shift>earlies|lates|nights|days|mornings|afternoons|evenings|twilights|backshifts?|(?:early|late"
    r"|night|day|morning|afternoon|evening|twilight)(?: |-)shifts?)"
)
_WHO = rf"(?P<who>The user(?:'s (?:{_KIN})(?: [A-Z][\w'-]+)?)?|[A-Z][\w-]+)"
_ON_SHIFT = re.compile(
    rf"^{_WHO} (?:has been put |was put |is |has gone |went |has been |has been moved "
    rf"|was moved )?(?P<back>now |back )*(?:on|onto|works|to) (?:the )?{SHIFT}\b(?! (?:a|each|per|of"
    rf"|off|out|and|or)\b)"
)
_WORKS_SHIFT = re.compile(
    rf"^{_WHO} (?:is on|is working|works|does|is doing)(?: mostly| mainly)? (?:the )?{SHIFT}\b(?! (?:a"
    rf"|each|per|of|off|out|and|or)\b)"
)
_DAYS = re.compile(
    r"""
    \b(?:
        (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days? | weekends? | every\ other | alternate | once | twice
        | this | next | two | three | four | \d+
    )\b
    """,
    re.VERBOSE,
)
# What somebody has one of, and was given another: its noun is the same, and so is what stands before it.
_GIVEN = re.compile(
    r"""
    ^The\ user\ (?:has\ been|was|got|has\ got|has|have\ got|gets)(?:\ just|\ finally|\ now)?
    (?:\ (?:given|assigned|allocated|issued|offered))?\ (?:an?\ |their\ )?new[ ]
    (?P<what>(?:[\w-]+\ ){0,2}?[\w-]+?)(?=,|\ (?:at|in|on|by|near|opposite|called|of)\b|:\ )(?P<value>.*)$
    """,
    re.VERBOSE,
)
_HAS_VALUE = re.compile(
    r"""
    ^The\ user's\ (?P<what>(?:[\w-]+\ ){0,2}?[\w-]+?)[ ]
    (?P<of>(?:for|in|over|on)\ (?:the\ )?[\w -]{2,20}?\ )?(?:is|are)\ (?:now\ )?(?P<value>.+)$
    """,
    re.VERBOSE,
)
# "Dad's co-careldopa has been upped to five times a day" of who takes it four times a day.
_DOSED = re.compile(
    rf"^(?P<who>The user|The user's (?:{_KIN})(?: [A-Z][\w'-]+)?"
    rf"|[A-Z][\w-]+)'s (?P<what>[A-Za-z][\w-]*)(?: dose| dosage)? (?:has|have|was|were|is)(?: now| just"
    rf"| been)* "
    r"(?:(?:put |gone |is )?(?:up|down)|upped|raised|increased|cut|reduced|lowered|doubled|halved"
    r"|changed|moved|dropped) to (?P<value>.+)$"
)
_TAKES = re.compile(
    rf"^(?P<who>The user|The user's (?:{_KIN})(?: [A-Z][\w'-]+)?|[A-Z][\w-]+) (?:takes|is on|gets|has"
    rf"|injects|uses|is taking) (?P<rest>[^,;]+)$"
    rf"|^(?P<who2>The user|The user's (?:{_KIN})(?: [A-Z][\w'-]+)?"
    rf"|[A-Z][\w-]+)'s (?P<rest2>(?:dose of [\w-]+|[\w-]+(?: dose)?) is [^,;]+)$"
)
# Of other things there may be several, or the new one tells nothing of them.
_SINGLE = frozenset(
    extract_keywords(
        "locker badge desk office room bed berth mooring plot pitch stall seat number code password "
        "pin sign callsign bay slot"
        " parking space cabin stable unit handle username login extension pass card postcode address "
        "pb best record"
    )
)


def has_other_value(new: str, old: str) -> bool:
    """Return whether the new statement tells of another shift or thing in the place of that of the old one."""
    if any(mark in new + old for mark in '"“[') or PASSING.search(new) or BESIDES.search(new):
        return False
    return _is_on_other_shift(new, old) or _was_given_another(new, old) or _is_dosed_anew(new, old)


def _is_dosed_anew(new: str, old: str) -> bool:
    ours, theirs = _DOSED.match(new), _TAKES.match(old)
    if ours is None or theirs is None or ours["who"] != (theirs["who"] or theirs["who2"]):
        return False
    held = theirs["rest"] or theirs["rest2"]
    if " and " in held or not set(extract_keywords(ours["what"])) <= set(extract_keywords(held)):
        return False
    return any(
        value.is_rival_of(other) for value in find_values(ours["value"]) for other in find_values(held)
    )


def _is_on_other_shift(new: str, old: str) -> bool:
    ours, theirs = _find_shift(new), _WORKS_SHIFT.match(old)
    if ours is None or theirs is None or _DAYS.search(old) or PASSING.search(old) or BESIDES.search(old):
        return False
    return ours["who"] == theirs["who"] and _name_shift(ours["shift"]) != _name_shift(theirs["shift"])


@lru_cache(maxsize=512)
def _find_shift(new: str) -> re.Match[str] | None:
    match = _ON_SHIFT.match(new)
    is_said = match is not None and (
        match["back"] or " put " in match[0] or " moved " in match[0] or NOW.search(new)
    )
    return match if is_said and not _DAYS.search(new) else None


def _name_shift(shift: str) -> str:
    """ "Lates" are "the late shift", and "earlies" the early one."""
    return re.sub(r"(?:[ -]shifts?|ies|s)$", "", shift).removesuffix("y").removesuffix("l")


def _was_given_another(new: str, old: str) -> bool:
    given, held = _GIVEN.match(new), _HAS_VALUE.match(old)
    if given is None or held is None:
        return False
    ours = extract_keywords(given["what"])
    theirs = [*extract_keywords(held["of"] or ""), *extract_keywords(held["what"])]
    if not ours or ours[-1] not in _SINGLE or sorted(_with_best(ours)) != sorted(_with_best(theirs)):
        return False
    return _is_other(given["value"], held["value"])


def _with_best(terms: list[str]) -> list[str]:
    """ "PB" is "personal best"."""
    bare = [term for term in terms if term not in _PERSONAL]
    return [_PB if term in _BEST else term for term in bare]


_PERSONAL = frozenset(extract_keywords("personal"))
_PB = "".join(extract_keywords("pb"))
_BEST = frozenset(extract_keywords("best pb record"))


def _is_other(new: str, old: str) -> bool:
    """Return whether another value is named, of the same sort where both are numbers."""
    ours, theirs = find_values(new), find_values(old)
    if ours and theirs:
        return not any(value.same_as(other) for value in ours for other in theirs)
    keywords, held = set(extract_keywords(new)), set(extract_keywords(old))
    return bool(keywords and held) and not keywords & held
