"""Lessons into skills: by the model where one is configured, by the rules where it does not do."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memories.engine import get_chat_model_for
from memories.engine.client.chat import ChatModel
from memories.engine.metering import metering_usage
from memories.engine.protocols import AnswerUseless, ProviderRefused, ProviderUnavailable
from skills.learning.lesson import LessonContent
from skills.learning.llm.write import write_by_model
from skills.learning.rules.write import NAME, write_by_rules
from skills.learning.workspace.workspace import Book, Workspace
from skills.models import Lesson
from tenancy.isolation.scoping import Scope

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Written:
    """The skills as they should be; why, for their versions; and what became of each lesson, for its row."""

    workspace: Workspace
    reason: str
    notes: Mapping[UUID, dict[str, Any]]


def write_lessons(scope: Scope, lessons: Sequence[Lesson], books: Sequence[Book]) -> Written:
    """Outside of transactions. Changes none of the books."""
    contents = [LessonContent.of(lesson) for lesson in lessons]
    model, trouble = get_chat_model_for(scope), ""
    if model is not None:
        with metering_usage(scope):
            done, trouble = _write_by_model(model, contents, Workspace.of(book.copy() for book in books))
        if done is not None:
            return done
    workspace = Workspace.of(book.copy() for book in books)
    notes = write_by_rules(contents, workspace)
    by = f"{NAME} (remote: {trouble})" if trouble else NAME
    return _build_written(workspace, by, {pk: note | {"by": by} for pk, note in notes.items()})


def _write_by_model(
    model: ChatModel, contents: Sequence[LessonContent], workspace: Workspace
) -> tuple[Written | None, str]:
    """What it wrote, or why it is the rules' turn."""
    try:
        by = write_by_model(model, contents, workspace)
    except (ProviderUnavailable, ProviderRefused, AnswerUseless) as trouble:
        log.warning("learner_replaced_by_rules", extra={"reason": str(trouble), "provider": model.name})
        return None, str(trouble)[:80]
    return _build_written(workspace, by, {lesson.pk: {"by": by} for lesson in contents}), ""


def _build_written(workspace: Workspace, by: str, notes: dict[UUID, dict[str, Any]]) -> Written:
    count = len(notes)
    reason = f"{count} lesson{'s' if count > 1 else ''} learned by {by}"
    return Written(workspace, reason, notes)
