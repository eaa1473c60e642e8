"""Questions that only name what everybody has one of: 体重和身高呢？78，一米七二."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.tagging import has_predicate

_NOUN = f"(?:{lexis.OWN})"
_NAMES = re.compile(
    rf"(?:那|请问|[你您]的?)*(?P<first>{_NOUN})(?:(?:和|跟|与|、|以及|还有)?(?P<second>{_NOUN}))?"
    r"(?P<asks>呢|(?:各|分别)?是?多少|(?:各|分别)?是什么)"
)
_UNITS = {"身高": re.compile("米|厘米|cm", re.IGNORECASE), "体重": re.compile("斤|kg", re.IGNORECASE)}
_REFUSES = re.compile("不想|不方便|保密|不知道|不清楚|不记得|忘|没想|再说|随便|姓|叫")
_AGREES = re.compile("是|有|在|还|挺|很|不|没")


def find_own(question: str) -> list[str]:
    """Find what the question names, and asks nothing else of."""
    match = _NAMES.fullmatch(question)
    if match is None or (match["asks"] != "呢" and not match["second"]):
        return []
    return [noun for noun in (match["first"], match["second"]) if noun]


def say_of_own(nouns: Sequence[str], clauses: Sequence[str]) -> list[str]:
    """Return what the reply's clauses say of each; nothing where they do not fit."""
    if any(map(_REFUSES.match, clauses)):
        return []
    if len(nouns) == 1:
        return [_state_value(nouns[0], "，".join(clauses))]
    if len(clauses) != len(nouns):
        return []
    unit = _UNITS.get(nouns[1])
    values = list(clauses)
    if unit and unit.search(values[0]) and not unit.search(values[1]):
        values.reverse()
    return [_state_value(noun, value) for noun, value in zip(nouns, values, strict=True)]


def _state_value(noun: str, value: str) -> str:
    is_said = _AGREES.match(value) or has_predicate(value.partition("，")[0])
    return f"我的{noun}{'' if is_said else '是'}{value}"
