"""Read conversations and write skills with a model; on any failure the rules do it, and the result says so.

What it says passes the same gate as what the rules say: items that a stranger would not understand, or whose names and
numbers the messages do not have, are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memories.engine.client.chat import AnswerSchema, ChatModel, ModelRequest
from memories.engine.client.http_json import Deadline
from memories.engine.client.json_answers import ask_for_json
from memories.engine.client.prompt_fence import build_messages, remove_unencodable
from memories.engine.fallback_report import report_replacement
from memories.engine.metering import estimate_prompt_tokens
from memories.engine.prompts import read_schema
from memories.engine.protocols import MODEL_ERRORS, AnswerUseless
from memories.values import Turn
from skills.generation import compose
from skills.generation.sections import Sections
from skills.packages.skill_md import MAX_DESCRIPTION, write_section_text
from skills.reading import split_conversation
from skills.reading.findings import Finding, FindingPart, Known, Method, SkillRequest, TaskReading
from skills.reading.quality import is_followable, is_grounded, is_sound

READ, WRITE = "episodes-1", "skill-1"
PURPOSE = "skills"
LONGEST_MESSAGE, LONGEST_ITEM, LONGEST_EXAMPLE = 6_000, 300, 1_500
LONGEST_NAME = 80
MOST_TASKS, MOST_FINDINGS, MOST_ITEMS, MOST_EXAMPLES, MOST_EPISODES = 10, 40, 20, 2, 12
# Two answers are waited for at most: the first, and its repair.
_DEADLINE_FACTOR, LONGEST_SECONDS = 2, 50.0

_OF_USER = {
    FindingPart.LIKING,
    FindingPart.WISH,
    FindingPart.CORRECTION,
    FindingPart.CHOICE,
    FindingPart.SUCCESS,
    FindingPart.FAILURE,
}


class ModelSkillGenerator:
    """One model; `seconds` and `input_tokens` are those of one question."""

    def __init__(self, model: ChatModel, seconds: float, input_tokens: int) -> None:
        self.name = model.name[:60]
        self._model = model
        self._seconds = seconds
        self._input_tokens = input_tokens

    def read(self, turns: Sequence[Turn], positions: Sequence[int]) -> list[TaskReading]:
        """The tasks of a conversation. Never fails. Of a long one only the end is shown."""
        by_rules = split_conversation.read_conversation_by_rules(turns, positions)
        shown = self._describe_turns(turns, positions)
        if not shown:
            return by_rules
        try:
            answer = self._ask_model(READ, {"messages": shown})
            stated = select_supported(answer["tasks"], turns, positions, f"{self.name} ({READ})")
        except MODEL_ERRORS as error:
            instead = report_replacement(split_conversation.BY, self.name, error)
            return [replace(reading, by=instead) for reading in by_rules]
        # What was not shown, or not from its beginning, is read by the rules.
        unseen = [
            reading
            for reading in by_rules
            if reading.first < shown[0]["turn"] and not any(task.first <= reading.last for task in stated)
        ]
        return [*unseen, *stated]

    def write(self, order: SkillRequest) -> Method | None:
        """The skill that these episodes make. Never fails; None where nothing comes of it that could be followed."""
        try:
            answer = self._ask_model(WRITE, _build_prompt_data(order))
            return _build_method(answer, order, f"{self.name} ({WRITE})")
        except MODEL_ERRORS as error:
            written = compose.compose_skill(order.episodes, order.taken)
            return written and replace(written, by=report_replacement(compose.BY, self.name, error))

    def _ask_model(self, version: str, data: dict[str, Any]) -> Any:
        question = ModelRequest(
            PURPOSE, build_messages(version, data), AnswerSchema(PURPOSE, read_schema(version))
        )
        return ask_for_json(
            self._model, question, Deadline.after(min(LONGEST_SECONDS, _DEADLINE_FACTOR * self._seconds))
        )

    def _describe_turns(self, turns: Sequence[Turn], positions: Sequence[int]) -> list[dict[str, Any]]:
        """The last messages, as many as fit into one question."""
        shown: list[dict[str, Any]] = []
        space_left = self._input_tokens
        for turn, position in zip(reversed(turns), reversed(positions), strict=True):
            text = remove_unencodable(turn.text[:LONGEST_MESSAGE])
            space_left -= estimate_prompt_tokens(text) + 20
            if space_left < 0:
                break
            stated: dict[str, Any] = {"turn": position, "role": turn.role, "text": text}
            called = [call.name for call in turn.calls]
            shown.insert(0, stated | ({"tools": called} if called else {}))
        return shown


def select_supported(
    tasks: Sequence[dict[str, Any]], turns: Sequence[Turn], positions: Sequence[int], by: str
) -> list[TaskReading]:
    """The tasks that the messages bear out. Raises `AnswerUseless` when there are tasks and none of them is."""
    turns_by_position = dict(zip(positions, turns, strict=True))
    readings: list[TaskReading] = []
    for task in sorted(tasks[:MOST_TASKS], key=lambda task: task["first"]):
        reading = _read_supported_task(task, turns_by_position, by)
        if reading is not None and (not readings or reading.first > readings[-1].last):
            readings.append(reading)
    if tasks and not readings:
        raise AnswerUseless("answer not supported")
    return readings


def _read_supported_task(task: dict[str, Any], turns: dict[int, Turn], by: str) -> TaskReading | None:
    first, last, asked = task["first"], task["last"], task["asked"]
    if first not in turns or last not in turns or not first <= asked <= last:
        return None
    if asked not in turns or turns[asked].role != "user":
        return None
    findings = [_read_finding(raw_finding, task, turns) for raw_finding in task["findings"][:MOST_FINDINGS]]
    kept = tuple(finding for finding in findings if finding is not None)
    request = _shorten_line(task["request"])
    if not kept or not request:
        return None
    domain = task["kind"] if task["kind"] != OTHER else ""
    title, purpose = _shorten_line(task["title"], LONGEST_NAME), _shorten_line(task["purpose"])
    return TaskReading(first, last, domain, request, task["language"], kept, by, asked, title, purpose)


def _read_finding(stated: dict[str, Any], task: dict[str, Any], turns: dict[int, Turn]) -> Finding | None:
    """The one who said it must be one who can say such a thing."""
    part, turn = FindingPart(stated["part"]), stated["turn"]
    is_between = task["first"] <= turn <= task["last"]
    is_theirs = turn in turns and turns[turn].role == ("user" if part in _OF_USER else "assistant")
    text = (
        stated["text"].strip()[:LONGEST_EXAMPLE]
        if part == FindingPart.EXAMPLE
        else _shorten_line(stated["text"])
    )
    if not is_between or not is_theirs or not (text or part in {FindingPart.SUCCESS, FindingPart.FAILURE}):
        return None
    if part not in _UNGATED and not (is_sound(text, task["language"]) and _is_supported(text, task, turns)):
        return None
    slot = _shorten_line(stated["slot"], 40).lower()
    return Finding(part, text, turn, f"model:{slot}" if slot else "", task["language"])


OTHER = "other"
# What is shown as it was, or says nothing by itself.
_UNGATED = {FindingPart.EXAMPLE, FindingPart.SUCCESS, FindingPart.FAILURE}


def _is_supported(text: str, task: dict[str, Any], turns: dict[int, Turn]) -> bool:
    """Return whether the names and numbers stand in the messages of the task."""
    stated = " ".join(turn.text for at, turn in turns.items() if task["first"] <= at <= task["last"])
    return is_grounded(text, stated, task["language"])


def _shorten_line(text: str, longest: int = LONGEST_ITEM) -> str:
    return " ".join(text.split())[:longest].strip()


def _build_prompt_data(order: SkillRequest) -> dict[str, Any]:
    episodes = order.episodes[-MOST_EPISODES:]
    return {
        "language": compose.detect_common_language(episodes),
        "name": order.title
        or next((episode.reading.title for episode in reversed(episodes) if episode.reading.title), ""),
        "taken": list(order.taken),
        "episodes": [_describe_episode(episode) for episode in episodes],
    }


def _describe_episode(episode: Known) -> dict[str, Any]:
    reading = episode.reading
    findings = [
        {"part": finding.part.value, "text": remove_unencodable(finding.text)} for finding in reading.findings
    ]
    return {"request": remove_unencodable(reading.request), "purpose": reading.purpose, "findings": findings}


def _build_method(answer: dict[str, Any], order: SkillRequest, by: str) -> Method:
    """Raises `AnswerUseless` when it is no skill."""
    name, description = (
        _shorten_line(answer["name"], LONGEST_NAME),
        _shorten_line(answer["description"], MAX_DESCRIPTION),
    )
    language = compose.detect_common_language(order.episodes)
    sources = " ".join(map(_get_episode_text, order.episodes))
    procedure, experience, preferences = (
        _filter_sound_items(answer[part], sources, language)
        for part in ("procedure", "experience", "preferences")
    )
    if not name or not description or not answer["procedure"]:
        raise AnswerUseless("empty answer")
    if not is_followable(name, procedure, experience, language):
        raise AnswerUseless("nothing that could be followed")
    more = write_section_text(answer["additional_information"], LONGEST_EXAMPLE)
    sections = Sections(
        name,
        description,
        procedure,
        experience,
        preferences,
        [
            _write_example(example)
            for example in answer["examples"][:MOST_EXAMPLES]
            if example["text"].strip()
        ],
        {"additional_information": more} if more else None,
    )
    return Method(sections.as_value(language), language, by)


def _get_episode_text(episode: Known) -> str:
    reading = episode.reading
    return " ".join([reading.about, reading.request, *(finding.text for finding in reading.findings)])


def _filter_sound_items(items: Sequence[str], sources: str, language: str) -> list[str]:
    return [
        line
        for line in _shorten_lines(items)
        if is_sound(line, language) and is_grounded(line, sources, language)
    ]


def _shorten_lines(items: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(line for item in items[:MOST_ITEMS] if (line := _shorten_line(item))))


def _write_example(stated: dict[str, str]) -> str:
    """A heading of its own level, so that nothing in it begins another section."""
    title, text = stated["title"], stated["text"]
    return f"### {_shorten_line(title, LONGEST_NAME)}\n\n{write_section_text(text, LONGEST_EXAMPLE)}"
