"""What is found in conversations about the way tasks are done: without Django."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any

LONGEST_EPISODE = 60  # messages


class FindingPart(StrEnum):
    """Kinds of findings; which section of the skill it becomes follows from it."""

    LIKING = "liking"  # what the user likes, wants or avoids
    WISH = "wish"  # what the user asked to be done along the way
    CORRECTION = "correction"  # what the user had to put right, or the reason for a wish
    CHOICE = "choice"  # which of several offers the user took
    STEP = "step"  # a step of a method that the assistant gave
    ACTION = "action"  # what the assistant says that it did
    DETAIL = "detail"  # what the user said of this one case
    RULE = "rule"  # what the assistant said always holds
    TOOLS = "tools"  # which tools were used, in their order
    SUCCESS = "success"
    FAILURE = "failure"
    EXAMPLE = "example"


def hash_finding_text(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a message says about how the task is done.

    `text` is written as the skill will say it. `slot` names what only one finding can hold at a time: the latest.
    `at` is the message's position.
    """

    part: FindingPart
    text: str
    at: int
    slot: str = ""
    language: str = "en"

    @property
    def digest(self) -> str:
        """Return what remains of a finding that was deleted: enough to know it again, not to read it."""
        return hash_finding_text(f"{self.part} {self.text}")

    @classmethod
    def read(cls, stated: dict[str, Any]) -> Finding:
        known = {name: stated[name] for name in cls.__slots__ if name in stated}
        return cls(**{**known, "part": FindingPart(stated["part"])})


@dataclass(frozen=True, slots=True)
class TaskReading:
    """A stretch of a conversation in which one task was worked on, as an engine read it.

    `domain` is the kind of thing that was worked on, as a stem: "trip", 周报. `request` is what the user wanted, in
    one sentence about the user; `asked` where they said so; `title` and `purpose` are what an engine that can name
    things calls the task. `by` is who read it, and why another could not.
    """

    first: int
    last: int
    domain: str
    request: str
    language: str
    findings: tuple[Finding, ...]
    by: str
    asked: int = 0
    title: str = ""
    purpose: str = ""

    @property
    def about(self) -> str:
        """Return what other readings of the same kind of task would say too."""
        return f"{self.title}: {self.purpose or self.request}" if self.title else self.request

    def narrowed(self, forbids: Callable[..., bool]) -> TaskReading:
        """Without what must not be remembered."""
        kept = tuple(finding for finding in self.findings if not forbids(finding.text))
        if forbids(self.request, self.title, self.purpose):
            return replace(self, findings=kept, request="", title="", purpose="")
        return replace(self, findings=kept)

    def without(self, deleted: frozenset[str], silenced: frozenset[int]) -> TaskReading:
        """Without the findings of these digests, and those of messages that are not to be read at all."""
        kept = tuple(
            finding
            for finding in self.findings
            if finding.digest not in deleted and finding.at not in silenced
        )
        if self.asked in silenced or hash_finding_text(self.request) in deleted:
            return replace(self, findings=kept, request="", title="", purpose="")
        return replace(self, findings=kept)

    def as_json(self) -> dict[str, Any]:
        stated = asdict(self)
        stated["findings"] = [asdict(finding) for finding in self.findings]
        return {key: stated[key] for key in ("request", "asked", "by", "title", "purpose", "findings")}


@dataclass(frozen=True, slots=True)
class Method:
    """The sections of a skill as an engine wrote them: `value` in the shape of `skill_value`."""

    value: dict[str, Any]
    language: str
    by: str


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """A skill that is to be written: what it rests on, what it is called already, and the user's other skills."""

    mark: str
    episodes: Sequence[Known]
    taken: Sequence[str] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """An episode of a cube as it is stored: what it says, when it was, and whose skill it is part of.

    `weight`: see `compute_weight`. `at`: seconds since 1970. `vector`: unit length, shape (d,).
    """

    key: Any
    conversation: Any
    reading: TaskReading
    weight: float
    at: float
    vector: Sequence[float] | None = None
    skill: Any = None
