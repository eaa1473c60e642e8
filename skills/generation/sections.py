"""The sections of a generated skill: as `skill_value` has them, and merged with what people have edited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from skills.packages.skill_md import (
    EXAMPLES,
    EXPERIENCE,
    OTHERS,
    PREFERENCE,
    PROCEDURE,
    parse_skill_md,
    write_skill_md,
)

_NUMBER = re.compile(r"^\s*\d{1,3}[.)、]\s*")


@dataclass(frozen=True, slots=True)
class Sections:
    name: str
    description: str
    procedure: Sequence[str]
    experience: Sequence[str]
    preferences: Sequence[str]
    examples: Sequence[str]
    others: dict[str, str] | None = None

    def as_value(self, language: str) -> dict[str, Any]:
        """As it will be read again from its SKILL.md, so that what is stored and what is served are one."""
        stated = {
            "name": self.name,
            "description": self.description,
            PROCEDURE: "\n".join(f"{number}. {step}" for number, step in enumerate(self.procedure, 1)),
            EXPERIENCE: list(self.experience),
            PREFERENCE: list(self.preferences),
            EXAMPLES: list(self.examples),
            OTHERS: self.others,
        }
        return parse_skill_md(write_skill_md(stated, language)).value

    @classmethod
    def read(cls, value: dict[str, Any]) -> Sections:
        lines = str(value.get(PROCEDURE) or "").splitlines()
        return cls(
            value["name"],
            value["description"],
            [_NUMBER.sub("", line).strip() for line in lines if line.strip()],
            list(value.get(EXPERIENCE) or ()),
            list(value.get(PREFERENCE) or ()),
            list(value.get(EXAMPLES) or ()),
            value.get(OTHERS),
        )


def apply_to_edited(
    edited: dict[str, Any], before: dict[str, Any], after: dict[str, Any], language: str
) -> dict[str, Any]:
    """Merge an edited skill with what generation has changed since; `before` is the last generated value.

    What a person removed stays removed, what a person wrote stays written.
    """
    mine, old, new = Sections.read(edited), Sections.read(before), Sections.read(after)
    return Sections(
        new.name if mine.name == old.name else mine.name,
        new.description if mine.description == old.description else mine.description,
        _apply_to_items(mine.procedure, old.procedure, new.procedure),
        _apply_to_items(mine.experience, old.experience, new.experience),
        _apply_to_items(mine.preferences, old.preferences, new.preferences),
        _apply_to_items(mine.examples, old.examples, new.examples),
        mine.others or new.others,
    ).as_value(language)


def _apply_to_items(mine: Sequence[str], old: Sequence[str], new: Sequence[str]) -> list[str]:
    gone, come = set(old) - set(new), [item for item in new if item not in set(old)]
    kept = [item for item in mine if item not in gone]
    return [*kept, *(item for item in come if item not in kept)]
