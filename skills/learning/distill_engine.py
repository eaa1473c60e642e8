"""Distill lessons from a finished task with the language model, or with rules where there is none or it fails."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memories.engine import get_chat_model_for
from memories.engine.metering import metering_usage
from memories.engine.protocols import AnswerUseless, ProviderRefused, ProviderUnavailable
from skills.learning.llm import distill as remote
from skills.learning.rules import distill as local
from skills.reading.talk import TalkMessage
from skills.values import LessonKind
from tenancy.isolation.scoping import Scope

log = logging.getLogger(__name__)

_LONGEST_BY = 120


@dataclass(frozen=True, slots=True)
class Case:
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
class Finding:
    """One lesson: the fields of its kind."""

    kind: LessonKind
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Distilled:
    findings: list[Finding]
    by: str


def distill_case(scope: Scope, case: Case) -> Distilled:
    """Outside of transactions."""
    model = get_chat_model_for(scope)
    if model is None:
        return Distilled(_distill_by_rules(case), local.NAME)
    try:
        with metering_usage(scope):
            distilled = remote.find_lessons(model, case)
    except (ProviderUnavailable, ProviderRefused, AnswerUseless) as trouble:
        log.warning("model_replaced_by_rules", extra={"reason": str(trouble), "provider": model.name})
        return Distilled(_distill_by_rules(case), f"{local.NAME} (remote: {trouble})"[:_LONGEST_BY])
    return Distilled([Finding(kind, content) for kind, content in distilled], remote.build_signature(model))


def _distill_by_rules(case: Case) -> list[Finding]:
    return [Finding(kind, content) for kind, content in local.find_lessons(case)]
