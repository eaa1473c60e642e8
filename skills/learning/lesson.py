"""Lessons as learners read them, without their database rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.utils import timezone

from skills.models import Lesson
from skills.values import LessonKind

USER = "user"
# What a lesson may hold of anything; a model that distilled may have been generous.
MOST_FACTS, LONGEST = 50, 1_000


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement in the third person, and whom or what it is about: "user", or a name."""

    text: str
    subject: str = USER


@dataclass(frozen=True, slots=True)
class LessonContent:
    """A lesson; `content` holds what its kind says, as texts and lists of texts."""

    pk: UUID
    kind: LessonKind
    content: Mapping[str, Any]
    day: date

    @classmethod
    def of(cls, lesson: Lesson) -> LessonContent:
        return cls(
            lesson.pk, LessonKind(lesson.kind), lesson.content, lesson.said_on or timezone.now().date()
        )

    def text(self, key: str) -> str:
        """One line of it; "" where nothing was stated."""
        value = self.content.get(key)
        return " ".join(value.split())[:LONGEST] if isinstance(value, str) else ""

    def texts(self, key: str) -> list[str]:
        value = self.content.get(key)
        if not isinstance(value, list):
            return []
        lines = [" ".join(text.split())[:LONGEST] for text in value if isinstance(text, str)]
        return [line for line in lines if line][:MOST_FACTS]

    @property
    def facts(self) -> list[Fact]:
        value = self.content.get("facts")
        facts = [_parse_fact(entry) for entry in value] if isinstance(value, list) else []
        return [fact for fact in facts if fact is not None][:MOST_FACTS]

    @property
    def goal(self) -> str:
        return self.text("task_goal")


def _parse_fact(value: Any) -> Fact | None:
    """A bare text is a fact about the user."""
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return None
    text = " ".join(value["text"].split())[:LONGEST]
    subject = value.get("subject")
    subject = " ".join(subject.split())[:100] if isinstance(subject, str) else ""
    return Fact(text, subject or USER) if text else None
