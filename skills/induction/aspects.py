"""Wishes that people have again and again within a domain, and how a skill says them in both languages.

What is not listed here is kept in the user's own words, put into the third person (`listen`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skills.induction.travel import TRAVEL
from skills.induction.wishes import Aspect

_NEGATIVE = re.compile(
    r"\b(?:not|no|never|don't|do not|doesn't|without|skip|avoid|hate|dislike|leave out|can't stand|cannot stand|isn't|nothing|less|fewer|drop|remove|cancel|sick of|tired of|rather than|instead of)\b"
    r"|不(?!错|仅|但|只是|同)|取消|去掉|没(?:什么)?兴趣|讨厌|别|跳过|避开|避免|少(?:安排|一?点)|拒绝|反感|受不了|无感",
    re.IGNORECASE,
)


ASPECTS: dict[str, tuple[Aspect, ...]] = {"travel": TRAVEL}
BY_KEY = {aspect.key: aspect for aspects in ASPECTS.values() for aspect in aspects}


def aspects_in(clause: str, domain: str) -> Iterator[Aspect]:
    """What the clause wishes of the domain's aspects. Those that name their own denial are looked for first."""
    rest = clause
    found: list[Aspect] = []
    known = ASPECTS.get(domain, ())
    for aspect in known:
        if aspect.negated is None and aspect.says.search(rest):
            rest = aspect.says.sub(" ", rest)
            found.append(aspect)
    is_negative = bool(_NEGATIVE.search(rest))
    for aspect in known:
        if aspect.negated is not None and aspect.negated == is_negative and aspect.says.search(rest):
            found.append(aspect)
    slots = set()
    for aspect in found:
        if aspect.slot not in slots:
            slots.add(aspect.slot)
            yield aspect
