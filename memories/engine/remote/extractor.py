"""The extractor that asks a chat model, and uses the rules where the model fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from threading import Lock
from typing import Any

from memories.engine.client.chat import AnswerSchema, ChatModel, ModelRequest
from memories.engine.client.http_json import Deadline
from memories.engine.client.json_answers import ask_for_json
from memories.engine.client.prompt_fence import build_messages, remove_unencodable, write_wishes
from memories.engine.fallback_report import LONGEST_BY, report_replacement
from memories.engine.local.extractor import remove_repeated
from memories.engine.prompts import read_schema
from memories.engine.protocols import MODEL_ERRORS, AnswerUseless, Extraction, Extractor
from memories.engine.remote.context_windows import Window, WindowPiece, build_windows
from memories.engine.remote.proposal_drafts import MOST, select_grounded
from memories.text.clauses.corrections import apply_corrections
from memories.text.quotes.transcripts import find_speakers
from memories.text.slots import name_slots
from memories.values import Draft, Turn

PROMPT, WISHES = "extract-2", "wishes-1"
PURPOSE = "extraction"
# A conversation of many windows is read by so many questions at once, and in so many times the limit of one.
_AT_ONCE = 4
_TIME_LIMIT_FACTOR = 3
_LONGEST_SECONDS = 90.0
_LONGEST_NAME = 60
_LONGEST_TAG, _MOST_TAGS = 100, 100


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """Limits of one question: seconds including retries, and tokens of the messages shown."""

    seconds: float
    input_tokens: int


class _RulesReading:
    """Drafts that the rules find in the whole conversation, read once and only if a window needs it."""

    def __init__(self, local: Extractor, turns: Sequence[Turn], tags: Sequence[str]) -> None:
        self._local = local
        self._turns = turns
        self._tags = tags
        self._lock = Lock()
        self._drafts: list[Draft] | None = None

    def list_drafts_at(self, places: set[int]) -> list[Draft]:
        """List what they find in the messages at these places, read within the whole."""
        if not places:
            return []
        with self._lock:
            if self._drafts is None:
                self._drafts = self._local.extract(self._turns, self._tags)
        return [draft for draft in self._drafts if draft.turns[-1] in places]


@dataclass(frozen=True, slots=True)
class _Case:
    """Inputs that all windows of one conversation share."""

    tags: Sequence[str]
    wishes: str
    deadline: Deadline
    rules: _RulesReading


@dataclass(frozen=True, slots=True)
class _Reading:
    """Result of one window; `instead` names the rules that read it in the model's place, and why."""

    drafts: list[Draft]
    dropped: Counter[str]
    instead: str = ""


class RemoteExtractor:
    """Proposes memories from the turns of one conversation.

    Lines of a talk between named people are not sent: the rules keep them word for word with their dates, and
    nobody's words can be given to somebody else there.
    """

    def __init__(self, model: ChatModel, local: Extractor, limits: QuestionLimits) -> None:
        self.name = f"{model.name[:_LONGEST_NAME]} ({PROMPT})"
        self._model = model
        self._local = local
        self._limits = limits

    def extract(self, turns: Sequence[Turn], tags: Sequence[str]) -> list[Draft]:
        return self.propose(turns, tags).drafts

    def propose(
        self, turns: Sequence[Turn], tags: Sequence[str], known: int = 0, wishes: str = ""
    ) -> Extraction:
        """Extract statements from the turns. Never fails.

        The first `known` turns are shown as context only. `wishes` are the project's own instructions to the model: the
        rules cannot read them.
        """
        speakers = find_speakers(turns)
        spoken = [at for at, turn in enumerate(turns) if turn.role in ("user", "assistant")]
        lines = {at for at in spoken if speakers[at]}
        seconds = min(_LONGEST_SECONDS, _TIME_LIMIT_FACTOR * self._limits.seconds)
        case = _Case(tags, wishes, Deadline.after(seconds), _RulesReading(self._local, turns, tags))
        plain = [at for at in spoken if at not in lines]
        readings = self._read_all(case, build_windows(turns, plain, known, self._limits.input_tokens))
        # A long message is in several windows, and the rules read it whole for each.
        drafts = remove_repeated([draft for reading in readings for draft in reading.drafts])
        drafts = apply_corrections(name_slots(drafts))
        dropped: Counter[str] = sum((reading.dropped for reading in readings), Counter())
        by = self._build_signature(readings, self._build_name(wishes))
        return Extraction(case.rules.list_drafts_at(lines) + drafts, by, dict(dropped))

    def _read_all(self, case: _Case, windows: Sequence[Window]) -> list[_Reading]:
        if len(windows) < 2:
            return [self._read_window(case, window) for window in windows]
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="windows") as pool:
            # Each in the context of this thread, so that its tokens are counted for the same work.
            futures = [pool.submit(copy_context().run, self._read_window, case, window) for window in windows]
            return [future.result() for future in futures]

    def _read_window(self, case: _Case, window: Window) -> _Reading:
        dropped: Counter[str] = Counter()
        try:
            deadline = case.deadline.or_after(self._limits.seconds)
            answer = ask_for_json(self._model, _build_question(window, case), deadline)
            drafts, is_lying = select_grounded(answer["memories"], window, case.tags, dropped)
            if is_lying:
                raise AnswerUseless("answer not supported")
        except MODEL_ERRORS as error:
            instead = report_replacement(self._local.name, self._model.name, error)
            new = {piece.at for piece in window if not piece.is_known}
            return _Reading(case.rules.list_drafts_at(new), dropped, instead)
        return _Reading(drafts, dropped)

    def _build_name(self, wishes: str) -> str:
        """The name with all prompt versions in use."""
        return f"{self.name[:-1]}, {WISHES})" if wishes.strip() else self.name

    def _build_signature(self, readings: Sequence[_Reading], name: str) -> str:
        """Return who extracted the memories, and why it was not the model."""
        replaced = [reading.instead for reading in readings if reading.instead]
        if not readings:
            return self._local.name
        if not replaced:
            return name
        if len(replaced) == len(readings):
            return replaced[0]
        return f"{name}, {len(replaced)} of {len(readings)} parts {replaced[0]}"[:LONGEST_BY]


def _build_question(window: Window, case: _Case) -> ModelRequest:
    offered = [remove_unencodable(tag[:_LONGEST_TAG]) for tag in case.tags[:_MOST_TAGS]]
    data = {"messages": [_build_message(piece) for piece in window], "tags": offered}
    messages = build_messages(PROMPT, data, most=str(MOST))
    messages[0]["content"] += write_wishes(WISHES, case.wishes)
    return ModelRequest(PURPOSE, messages, AnswerSchema("memories", read_schema(PROMPT)))


def _build_message(piece: WindowPiece) -> dict[str, Any]:
    message = {
        "turn": piece.at,
        "role": piece.turn.role,
        "time": f"{piece.turn.said_at:%Y-%m-%d %H:%M, %A}",
        "text": remove_unencodable(piece.text),
    }
    return message | {"known": True} if piece.is_known else message
