"""A wish that people have again and again within a domain, by the name of an aspect."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """`trait` completes "a traveller who …" or 为……的旅行者; `step`, `lesson` and `liking` are items of sections."""

    trait: str
    step: str
    lesson: str
    liking: str


@dataclass(frozen=True, slots=True)
class Aspect:
    """`negated`: whether a clause must deny what it names (None: the words say enough by themselves).

    Steps come in the order of `rank`. Aspects of one `slot` cannot hold together.
    """

    key: str
    slot: str
    rank: int
    says: re.Pattern[str]
    en: Words
    zh: Words
    negated: bool | None = None

    def words(self, language: str) -> Words:
        return self.zh if language == "zh" else self.en


def aspect(
    key: str,
    slot: str,
    rank: int,
    says: tuple[str, str],
    en: tuple[str, str, str, str],
    zh: tuple[str, str, str, str],
    negated: bool | None = None,
) -> Aspect:
    return Aspect(key, slot, rank, re.compile("|".join(says), re.IGNORECASE), Words(*en), Words(*zh), negated)
