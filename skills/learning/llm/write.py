"""Write lessons into skills with a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from memories.engine.client.chat import ChatModel
from memories.engine.client.http_json import Deadline
from memories.engine.protocols import AnswerUseless
from skills.learning.lesson import LessonContent
from skills.learning.llm.agent import SkillTools
from skills.learning.prompts import load_prompt
from skills.learning.tool_loop import Ending, run_rounds
from skills.learning.workspace.workspace import Workspace

PROMPT = "write-1"
ROUNDS = 24
# What a run may take of the two minutes for which clients wait.
LONGEST_SECONDS = 75.0
LONGEST_DESCRIPTION = 400


def write_by_model(model: ChatModel, lessons: Sequence[LessonContent], workspace: Workspace) -> str:
    """Changes the workspace, and says by what. Raises what `run_rounds` raises; the workspace is of no use then."""
    run = run_rounds(
        model,
        load_prompt(PROMPT),
        _build_prompt_data(lessons, workspace),
        SkillTools(workspace).all,
        rounds=ROUNDS,
        deadline=Deadline.after(LONGEST_SECONDS),
        round_seconds=settings.LLM["SECONDS"],
    )
    if run.ending is not Ending.FINISHED and not workspace.edits:
        raise AnswerUseless(f"nothing written, ended by {run.ending}")
    end = "" if run.ending is Ending.FINISHED else f", ended by {run.ending}"
    return f"{model.name[:60]} ({PROMPT}{end})"


def _build_prompt_data(lessons: Sequence[LessonContent], workspace: Workspace) -> dict[str, Any]:
    return {
        "skills": [
            {"name": skill.name, "description": skill.description[:LONGEST_DESCRIPTION]}
            for skill in workspace.skills.values()
        ],
        "lessons": [
            {"kind": lesson.kind, "day": lesson.day.isoformat(), **_simplify_lesson(lesson)}
            for lesson in lessons
        ],
    }


def _simplify_lesson(lesson: LessonContent) -> dict[str, Any]:
    """Return what was distilled, in the bounds in which the rules read it too."""
    shown_content: dict[str, Any] = {key: lesson.text(key) or lesson.texts(key) for key in lesson.content}
    if lesson.facts:
        shown_content["facts"] = [{"text": fact.text, "subject": fact.subject} for fact in lesson.facts]
    return {key: value for key, value in shown_content.items() if value}
