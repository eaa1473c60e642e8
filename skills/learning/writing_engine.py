"""Write lessons into skills: by the model where one is configured, by the rules where there is none or it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memories.engine import get_chat_model_for
from memories.engine.client.chat import ChatModel
from memories.engine.fallback_report import report_replacement
from memories.engine.metering import metering_usage
from memories.engine.protocols import MODEL_ERRORS
from skills.learning.lesson import LessonContent
from skills.learning.llm.write import write_by_model
from skills.learning.rules.write import NAME, write_by_rules
from skills.learning.workspace.workspace import Workspace, WorkspaceSkill
from skills.models import Lesson
from tenancy.isolation.scoping import Scope


@dataclass(frozen=True, slots=True)
class WrittenWorkspace:
    """The edited workspace, the reason for the new versions, and a note for each lesson's row."""

    workspace: Workspace
    reason: str
    notes: Mapping[UUID, dict[str, Any]]


def write_lessons(
    scope: Scope, lessons: Sequence[Lesson], skills: Sequence[WorkspaceSkill]
) -> WrittenWorkspace:
    """Write lessons into copies of the skills. Not inside a transaction."""
    contents = [LessonContent.of(lesson) for lesson in lessons]
    model, by = get_chat_model_for(scope), NAME
    if model is not None:
        with metering_usage(scope):
            done, by = _write_by_model(model, contents, Workspace.of(skill.copy() for skill in skills))
        if done is not None:
            return done
    workspace = Workspace.of(skill.copy() for skill in skills)
    notes = write_by_rules(contents, workspace)
    return _build_written(workspace, by, {pk: note | {"by": by} for pk, note in notes.items()})


def _write_by_model(
    model: ChatModel, contents: Sequence[LessonContent], workspace: Workspace
) -> tuple[WrittenWorkspace | None, str]:
    """Return what the model wrote, or None, and who wrote it or does so instead."""
    try:
        by = write_by_model(model, contents, workspace)
    except MODEL_ERRORS as error:
        return None, report_replacement(NAME, model.name, error, "learner_replaced_by_rules")
    return _build_written(workspace, by, {lesson.pk: {"by": by} for lesson in contents}), by


def _build_written(workspace: Workspace, by: str, notes: dict[UUID, dict[str, Any]]) -> WrittenWorkspace:
    count = len(notes)
    reason = f"{count} lesson{'s' if count > 1 else ''} learned by {by}"
    return WrittenWorkspace(workspace, reason, notes)
