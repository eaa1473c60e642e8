"""The steps of a search in plain words: its funnel, its scores as bars, why a candidate was dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from console.pages.memory.memories.recall import PARTS
from memories.models import Memory
from memories.retrieval.inspect_search import GroupSteps, Inspected
from memories.values import MemoryKind

# Parts smaller than this (in log-odds) change no relativity that is shown with two decimals by much.
LEAST_PART = 0.05


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of a score in log-odds; `x` and `width` are percentages as text for SVG, zero is at 50."""

    title: str
    value: float
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate as a person reads it. `stopped` is empty for what was returned. `relativity`: 0 to 1."""

    memory: Memory
    place: int
    relativity: float
    bars: list[Bar]
    matched: list[str]
    source: str
    stopped: str


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """One line of the funnel; `width` is a percentage of the first line, as text for SVG."""

    title: str
    count: int
    width: str


@dataclass(frozen=True, slots=True)
class GroupView:
    title: str
    steps: list[FunnelStep]
    items: list[CandidateRow]
    dropped: list[CandidateRow]


def group_views(groups: list[GroupSteps]) -> list[GroupView]:
    return [_build_group_view(group) for group in groups]


def _build_group_view(group: GroupSteps) -> GroupView:
    return GroupView(
        title=_get_group_title(group),
        steps=_build_funnel(group),
        items=[_build_item(candidate) for candidate in group.items],
        dropped=[_build_item(candidate) for candidate in group.dropped],
    )


def _get_group_title(group: GroupSteps) -> str:
    titles = {
        MemoryKind.FACT: _("Facts and knowledge"),
        MemoryKind.PREFERENCE: _("Preferences"),
        MemoryKind.TOOL_SCHEMA: _("Tool memories"),
        MemoryKind.SKILL: _("Skills"),
    }
    return titles[group.kinds[0]]


def _build_funnel(group: GroupSteps) -> list[FunnelStep]:
    counts = [
        (_("Candidates scored"), group.scored),
        (_("With matching words"), group.with_matching_terms),
        (_("At or above the relativity"), group.passing),
        (_("Without repeats"), group.distinct),
        (_("Returned (limit %(limit)s)") % {"limit": group.limit}, group.returned),
    ]
    most = max(1, group.scored)
    return [FunnelStep(title, count, f"{100 * count / most:.1f}") for title, count in counts]


def _build_item(candidate: Inspected) -> CandidateRow:
    return CandidateRow(
        memory=candidate.memory,
        place=candidate.place,
        relativity=candidate.relativity,
        bars=_build_bars(candidate.parts),
        matched=candidate.matched,
        source=_get_source_name(candidate.memory),
        stopped=describe_stop(candidate),
    )


def _build_bars(parts: list[tuple[str, float]]) -> list[Bar]:
    relevant = [(name, value) for name, value in parts if abs(value) >= LEAST_PART]
    most = max([abs(value) for _name, value in relevant], default=1.0)
    return [_build_bar(name, value, most) for name, value in relevant]


def _build_bar(name: str, value: float, most: float) -> Bar:
    width = 50 * abs(value) / most
    start = 50 - width if value < 0 else 50.0
    return Bar(PARTS[name]().strip(), value, f"{start:.1f}", f"{width:.1f}")


def _get_source_name(memory: Memory) -> str:
    file = memory.details.get("file")
    if isinstance(file, dict) and file.get("name"):
        return str(file["name"])
    return memory.conversation_key


def describe_stop(candidate: Inspected) -> str:
    why: dict[str, Any] = candidate.why
    if candidate.gate == "relativity":
        return _("Stopped at Relativity (%(relativity).2f < %(threshold).2f)") % why
    if candidate.gate == "repeats":
        return _("Stopped at Repeats: a better-placed memory says the same")
    if candidate.gate == "diversity":
        return _("Stopped at Diversity: too close to better-placed memories")
    if candidate.gate == "limit":
        return _("Stopped at Limit: only the first %(limit)s are returned") % why
    return ""


@dataclass(frozen=True, slots=True)
class RankMove:
    """One memory in two runs: its rank in each, counted from 1 within its group; None where it was not returned."""

    memory: Memory
    first: int | None
    second: int | None

    @property
    def up(self) -> int:
        """Return how many ranks higher it is in the second run; 0 when one of them does not have it."""
        return self.first - self.second if self.first and self.second else 0


def moves_between(first: list[GroupView], second: list[GroupView]) -> list[RankMove]:
    """Every memory that one of the two runs returned, in the order of the second and then of the first."""
    ranks = [
        {item.memory.pk: at for group in groups for at, item in enumerate(group.items, 1)}
        for groups in (first, second)
    ]
    items = [item for groups in (second, first) for group in groups for item in group.items]
    memories = {item.memory.pk: item.memory for item in items}
    return [RankMove(memory, ranks[0].get(key), ranks[1].get(key)) for key, memory in memories.items()]
