"""What a skill of a domain says around what the user's own conversations say."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frame:
    """What a skill of the domain says in one language, around what the user's own conversations say.

    `work` completes "helps to …" or 帮助用户……; `person` is who it is done for; `when` is when to use it.
    """

    title: str
    work: str
    person: str
    when: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Domain:
    """`is_broad`: what belongs together within it is told by words and meaning, not by the domain alone."""

    key: str
    asks: re.Pattern[str]
    en: Frame
    zh: Frame
    is_broad: bool = False

    def frame(self, language: str) -> Frame:
        return self.zh if language == "zh" else self.en


def domain(key: str, en: str, zh: str, frames: tuple[Frame, Frame], is_broad: bool = False) -> Domain:
    return Domain(key, re.compile(f"{en}|{zh}", re.IGNORECASE), *frames, is_broad)
