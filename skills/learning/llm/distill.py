"""Distill lessons from a finished task with a model, which reports them by one tool call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings

from memories.engine.client.chat import ChatModel
from memories.engine.client.http_json import Deadline
from memories.engine.protocols import AnswerUseless
from skills.learning.lesson import USER
from skills.learning.llm.message_text import build_message_text
from skills.learning.prompts import load_prompt
from skills.learning.tool_loop import TEXT, Ending, ModelTool, build_parameters, run_rounds
from skills.reading.task_board import RefusedAction
from skills.values import LessonKind

if TYPE_CHECKING:
    from skills.learning.distill_engine import DistillationCase

PROMPT, PURPOSE = "distil-1", "distillation"
# One call, and one more where the first was refused.
ROUNDS = 2
LONGEST_PART = 512
_MOST_MESSAGES = 80
_DEADLINE_FACTOR, _LONGEST_SECONDS = 2, 50.0
_LONGEST_TEXT, _MOST_FACTS = 2_000, 50
_TEXTS = {"type": "array", "items": TEXT}
_FACTS = {
    "type": "array",
    "items": build_parameters(text=TEXT, subject=TEXT),
    "minItems": 1,
    "maxItems": _MOST_FACTS,
}

FoundLesson = tuple[LessonKind, dict[str, Any]]


def build_signature(model: ChatModel) -> str:
    return f"{model.name[:60]} ({PROMPT})"


def find_lessons(model: ChatModel, case: DistillationCase) -> list[FoundLesson]:
    """Raises what `run_rounds` raises, and `AnswerUseless` where the model reported nothing that fits."""
    report = _Report()
    run = run_rounds(
        model,
        load_prompt(PROMPT),
        _build_prompt_data(case),
        _build_tools(case, report),
        rounds=ROUNDS,
        deadline=Deadline.after(min(_LONGEST_SECONDS, _DEADLINE_FACTOR * settings.LLM["SECONDS"])),
        purpose=PURPOSE,
    )
    if run.ending is not Ending.FINISHED:
        raise AnswerUseless("nothing reported")
    return report.lessons


class _Report:
    def __init__(self) -> None:
        self.lessons: list[FoundLesson] = []

    def keeps(self, kind: LessonKind, goal: str) -> Callable[[dict[str, Any]], str]:
        def act(arguments: dict[str, Any]) -> str:
            if self.lessons:
                raise RefusedAction("one report is enough")
            content = {name: _shorten_value(value) for name, value in arguments.items()}
            if kind is LessonKind.FACTS:
                content["facts"] = [_build_fact(fact) for fact in content["facts"] if fact["text"].strip()]
            elif not any(content[name] for name in content if name not in {"task_goal", "applies_when"}):
                raise RefusedAction("the report is empty; call skip_learning where there is nothing to learn")
            content["task_goal"] = content.get("task_goal") or goal
            self.lessons.append((kind, content))
            return "Noted."

        return act


def _build_tools(case: DistillationCase, report: _Report) -> list[ModelTool]:
    skip = ModelTool(
        "skip_learning",
        "There is nothing to learn from it.",
        build_parameters(reason=TEXT),
        lambda arguments: "Noted.",
        ends=True,
    )
    facts = ModelTool(
        "report_factual_content",
        "Reports facts in the third person, each with whom or what it is about.",
        build_parameters(task_goal=TEXT, facts=_FACTS),
        report.keeps(LessonKind.FACTS, case.goal),
        ends=True,
    )
    if case.is_planning:
        return [skip, facts]
    if not case.is_success:
        names = ("failure_point", "flawed_reasoning", "what_should_have_been_done", "prevention_principle")
        return [
            _build_analysis_tool(
                "report_failure_analysis", names, report.keeps(LessonKind.FAILURE, case.goal)
            )
        ]
    success = _build_analysis_tool(
        "report_success_analysis",
        ("approach", "key_decisions", "generalizable_pattern"),
        report.keeps(LessonKind.SUCCESS, case.goal),
    )
    return [skip, success, facts]


def _build_analysis_tool(
    name: str, fields: tuple[str, ...], act: Callable[[dict[str, Any]], str]
) -> ModelTool:
    shape: dict[str, Mapping[str, Any]] = {"task_goal": TEXT}
    shape |= {field: _TEXTS if field == "key_decisions" else TEXT for field in fields}
    return ModelTool(
        name, "Reports what is to be learned.", build_parameters(**shape, applies_when=TEXT), act, ends=True
    )


def _build_prompt_data(case: DistillationCase) -> dict[str, Any]:
    status = "success" if case.is_success else "failed"
    task = {"task_description": case.goal, "status": status, "progress": [*case.progresses]}
    return {
        "task": {} if case.is_planning else task,
        "messages": [
            build_message_text(message, LONGEST_PART) for message in case.messages[-_MOST_MESSAGES:]
        ],
        "other_tasks": [{"task_description": goal, "status": state} for goal, state in case.others],
        "preferences": [*case.preferences],
        "skills": [{"name": name, "description": description} for name, description in case.skills],
    }


def _shorten_value(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip()[:_LONGEST_TEXT]
    return [_shorten_value(item) for item in value] if isinstance(value, list) else value


def _build_fact(arguments: dict[str, str]) -> dict[str, str]:
    return {
        "text": arguments["text"].strip()[:_LONGEST_TEXT],
        "subject": arguments["subject"].strip()[:100] or USER,
    }
