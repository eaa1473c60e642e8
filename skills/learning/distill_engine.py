"""Distill lessons from a finished task with the language model, or with rules where there is none or it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memories.engine import get_chat_model_for
from memories.engine.fallback_report import report_replacement
from memories.engine.metering import metering_usage
from memories.engine.protocols import MODEL_ERRORS
from skills.learning.llm import distill as remote
from skills.learning.rules import distill as local
from skills.reading.talk import TalkMessage
from skills.values import LessonKind
from tenancy.isolation.scoping import Scope


@dataclass(frozen=True, slots=True)
class DistillationCase:
    """A finished task with what was said and done for it. The planning task has no goal and asks for facts only.

    `others` are the session's tasks as (description, status), `skills` those of the space as (name, description).
    """

    goal: str
    is_success: bool
    progresses: Sequence[str]
    messages: Sequence[TalkMessage]
    preferences: Sequence[str]
    others: Sequence[tuple[str, str]]
    skills: Sequence[tuple[str, str]]

    @property
    def is_planning(self) -> bool:
        return not self.goal


@dataclass(frozen=True, slots=True)
class DistilledLesson:
    """One lesson: the fields of its kind."""

    kind: LessonKind
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Distilled:
    findings: list[DistilledLesson]
    by: str


def distill_case(scope: Scope, case: DistillationCase) -> Distilled:
    """Outside of transactions."""
    model = get_chat_model_for(scope)
    if model is None:
        return Distilled(_distill_by_rules(case), local.NAME)
    try:
        with metering_usage(scope):
            distilled = remote.find_lessons(model, case)
    except MODEL_ERRORS as error:
        return Distilled(_distill_by_rules(case), report_replacement(local.NAME, model.name, error))
    return Distilled(
        [DistilledLesson(kind, content) for kind, content in distilled], remote.build_signature(model)
    )


def _distill_by_rules(case: DistillationCase) -> list[DistilledLesson]:
    return [DistilledLesson(kind, content) for kind, content in local.find_lessons(case)]
