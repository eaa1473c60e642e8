"""A request's trace as bars: where each stage began, how long it took, which one was slowest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

COLOURS = {
    "embed": "violet",
    "vector": "teal",
    "candidates": "teal",
    "store": "teal",
    "load": "teal",
    "keyword": "sky",
    "understand": "sky",
    "rank": "indigo",
    "cut": "indigo",
    "wait": "amber",
    "model": "amber",
}
# A bar of nothing cannot be seen.
NARROWEST = 0.6


@dataclass(frozen=True, slots=True)
class Stage:
    """One bar; `left` and `width` are percentages of the whole request, as text for SVG."""

    name: str
    title: str
    began: float
    milliseconds: float
    left: str
    width: str
    colour: str
    note: str
    is_slowest: bool


def build_stages(
    trace: Iterable[dict[str, Any]], total: float, describe: Callable[[Mapping[str, Any]], tuple[str, str]]
) -> list[Stage]:
    """`describe` gives a stage's title and note in the reader's words."""
    rows = sorted(trace, key=lambda row: (row.get("at", 0.0), -row["ms"]))
    whole = max([total, *(row.get("at", 0.0) + row["ms"] for row in rows), 0.001])
    slowest = max(rows, key=lambda row: row["ms"], default=None)
    return [_build_stage(row, whole, row is slowest, *describe(row)) for row in rows]


def _build_stage(row: dict[str, Any], whole: float, is_slowest: bool, title: str, note: str) -> Stage:
    began, took = row.get("at", 0.0), row["ms"]
    width = max(took / whole * 100, NARROWEST)
    return Stage(
        name=row["stage"],
        title=title,
        began=began,
        milliseconds=took,
        left=f"{min(began / whole * 100, 100 - width):.2f}",
        width=f"{width:.2f}",
        colour=COLOURS.get(row["stage"], "slate"),
        note=note,
        is_slowest=is_slowest,
    )
