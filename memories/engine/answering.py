"""What an answerer is given and returns: the question with memories, and the reply."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from memories.text.clauses.overviews import OverviewTopic
from memories.values import MemoryKind, Turn

# Of an answer that took all the tokens it was given.
CUT_SHORT = "cut short"


class AnswerTooLong(Exception):
    """The model takes no question and answer of this length together."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory as far as an answer needs it. `source` names the document it is from, `day` when it happened or was
    said, `until` the day since which it holds no longer; a raw one is a turn as it was spoken, not yet refined.
    `slot`, `speaker` and `event_time` as in `memories.values.Draft`. `relativity`: 0 to 1, how well it answers."""

    kind: MemoryKind
    text: str
    relativity: float
    day: str = ""
    source: str = ""
    is_raw: bool = False
    until: str = ""
    slot: str = ""
    speaker: str = ""
    event_time: datetime | None = None

    @property
    def dated_text(self) -> str:
        """With the day until which it was so, if it is no longer."""
        return f"{self.text} [until {self.until}]" if self.until else self.text


@dataclass(frozen=True, slots=True)
class Manner:
    """Options of an answer: by which model ("" is the usual one), in how many tokens at most (0: as usual), how
    freely."""

    model: str = ""
    tokens: int = 0
    temperature: float | None = None
    top_p: float | None = None


class NamedText(NamedTuple):
    """A field of a profile or a skill, and what it says."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Briefing:
    """`earlier` is what was said before in this conversation; `instructions` are the developer's own.

    A question for all that is known of a kind has that as its `topic`, and in `known` what holds of the user today, of
    every kind. `profile` are names and values of what is kept of the user for good, `skills` names and words of what
    was learned to do for the user. `thread` names the conversation among all of the installation. `started` is when the
    request began, by the monotonic clock: time limits count from there.
    """

    query: str
    remembered: tuple[Remembered, ...]
    now: datetime
    earlier: tuple[Turn, ...] = ()
    instructions: str = ""
    manner: Manner = field(default_factory=Manner)
    topic: OverviewTopic | None = None
    known: tuple[Remembered, ...] = ()
    profile: tuple[NamedText, ...] = ()
    skills: tuple[NamedText, ...] = ()
    thread: str = ""
    started: float = field(default_factory=time.monotonic)


class PieceKind(StrEnum):
    TEXT = "text"
    REASONING = "reasoning"
    REPLACED = "replaced"
    END = "end"


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A part of an answer as it comes. The text of the end is why it came early: "" or `CUT_SHORT`. `REPLACED` is no
    part of the answer: it says who gives the rest of it instead, and why."""

    kind: PieceKind
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; `note` is for the trace. `ended` is why it came to its end early: "" or `CUT_SHORT`."""

    text: str
    note: Mapping[str, Any] = field(default_factory=dict)
    ended: str = ""


class Answerer(Protocol):
    """Answers from what is remembered.

    Raises `ProviderUnavailable`, `ProviderRefused`, `AnswerTooLong`, and `AnswerUseless` when nothing was said that
    could be shown; a stream also in its middle.
    """

    def name(self, manner: Manner) -> str: ...

    def build_prompt(self, briefing: Briefing) -> str:
        """Return what a model is given, as one text; empty where none is asked."""
        ...

    def count_left_out(self, briefing: Briefing) -> Mapping[str, int]:
        """Count how much of the briefing has no place in the prompt, for the trace; empty where all of it has."""
        ...

    def answer(self, briefing: Briefing) -> Answer: ...

    def stream(self, briefing: Briefing) -> AsyncGenerator[AnswerPiece, None]: ...
