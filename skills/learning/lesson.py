"""Lessons as the learner reads them: what was distilled, without the rows around it."""

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
class Told:
    """A lesson; `content` holds what its kind says, as texts and lists of texts."""

    pk: UUID
    kind: LessonKind
    content: Mapping[str, Any]
    day: date

    @classmethod
    def of(cls, lesson: Lesson) -> Told:
        return cls(
            lesson.pk, LessonKind(lesson.kind), lesson.content, lesson.said_on or timezone.now().date()
        )

    def text(self, key: str) -> str:
        """One line of it; "" where nothing was told."""
        told = self.content.get(key)
        return " ".join(told.split())[:LONGEST] if isinstance(told, str) else ""

    def texts(self, key: str) -> list[str]:
        told = self.content.get(key)
        if not isinstance(told, list):
            return []
        lines = [" ".join(one.split())[:LONGEST] for one in told if isinstance(one, str)]
        return [line for line in lines if line][:MOST_FACTS]

    @property
    def facts(self) -> list[Fact]:
        told = self.content.get("facts")
        found = [_fact(one) for one in told] if isinstance(told, list) else []
        return [fact for fact in found if fact is not None][:MOST_FACTS]

    @property
    def goal(self) -> str:
        return self.text("task_goal")


def _fact(told: Any) -> Fact | None:
    """A bare text is a fact about the user."""
    if isinstance(told, str):
        told = {"text": told}
    if not isinstance(told, dict) or not isinstance(told.get("text"), str):
        return None
    text = " ".join(told["text"].split())[:LONGEST]
    subject = told.get("subject")
    subject = " ".join(subject.split())[:100] if isinstance(subject, str) else ""
    return Fact(text, subject or USER) if text else None
