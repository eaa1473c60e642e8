"""Write lessons into skills by rules, in English and Chinese; of models only the embedder is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from skills.learning.lesson import LessonContent
from skills.learning.rules.facts import FactKeeper
from skills.learning.rules.methods import MethodKeeper
from skills.learning.rules.statements.text_similarity import TextSimilarity
from skills.learning.rules.task_log import LogKeeper
from skills.learning.workspace.workspace import Workspace
from skills.reading.task_board import RefusedAction
from skills.values import LessonKind

NAME = "local-1"
_OF_METHODS = {LessonKind.SUCCESS, LessonKind.FAILURE}


def write_by_rules(lessons: Sequence[LessonContent], workspace: Workspace) -> dict[UUID, dict[str, Any]]:
    """Changes the workspace. Of each lesson what was left out, and into which skills the rest went."""
    near = TextSimilarity()
    notes = {}
    for lesson in lessons:
        done = len(workspace.edits)
        left_out = _keep_lesson(lesson, workspace, near)
        notes[lesson.pk] = {"skills": _list_touched_skills(workspace, done), "left_out": left_out}
    return notes


def _keep_lesson(lesson: LessonContent, workspace: Workspace, near: TextSimilarity) -> list[str]:
    """A file that can take no more is reported, like everything that is left out."""
    left_out = []
    try:
        if lesson.kind in _OF_METHODS:
            left_out += MethodKeeper(workspace, near).keep(lesson)
        else:
            left_out += FactKeeper(workspace, near).keep(lesson)
        if lesson.goal:
            LogKeeper(workspace, near).keep(lesson)
    except RefusedAction as refusal:
        left_out.append(str(refusal))
    return left_out


def _list_touched_skills(workspace: Workspace, since: int) -> list[str]:
    """The names of the skills that these edits changed; a new one is known by the files put into it."""
    return list(
        dict.fromkeys(edit.arguments[0] for edit in workspace.edits[since:] if edit.method != "create_skill")
    )
