"""Stacked columns and sparklines, drawn by the server as SVG without text.

The drawing is stretched to its place, so labels stand beside it in HTML, of the same size at every width. Beside each
chart is a table with the same numbers; a script reads the values under the pointer from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Any

WIDTH, HEIGHT = 1000.0, 100.0
# Of a column's step; what is left parts it from its neighbours.
BAR_SHARE = 0.72
# What is there at all can be seen: so much of the height at least.
LEAST = 1.0
# So many columns have a label, and on phones every other of them.
MOST_LABELS = 8
LOOKS = ("indigo", "teal", "amber", "violet", "sky")
REST = "slate"


@dataclass(frozen=True, slots=True)
class ChartSlot:
    """One column's data: its label on the axis, its whole name, its counts by series key, and where it leads."""

    label: str
    title: str
    counts: Mapping[Any, int]
    url: str = ""


@dataclass(frozen=True, slots=True)
class SeriesKind:
    """Kind of thing that a series counts; `look` is a colour of `charts.css`."""

    key: Any
    name: str
    look: str


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    look: str
    total: int


@dataclass(frozen=True, slots=True)
class Segment:
    """Places are text, because no language may write them with a comma."""

    look: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """`values` are the names and counts of all series in their order."""

    title: str
    label: str
    is_spare_label: bool
    x: str
    segments: list[Segment]
    values: list[tuple[str, int]]
    total: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """`scale` are the numbers on the left, from the top down."""

    series: list[Series]
    columns: list[ChartColumn]
    scale: list[int]
    bar_width: str
    step: str

    @property
    def has_links(self) -> bool:
        return any(column.url for column in self.columns)

    @property
    def total(self) -> int:
        return sum(column.total for column in self.columns)


def draw_stacked_columns(slots: Sequence[ChartSlot], kinds: Sequence[SeriesKind]) -> Chart:
    """Every slot in its order, empty ones included; the first kind is at the bottom."""
    totals = [sum(slot.counts.get(kind.key, 0) for kind in kinds) for slot in slots]
    top = _round_above(max(totals, default=0))
    step = WIDTH / max(len(slots), 1)
    every = max(1, ceil(len(slots) / MOST_LABELS))
    columns = []
    for number, slot in enumerate(slots):
        values = [slot.counts.get(kind.key, 0) for kind in kinds]
        has_label = number % every == 0
        columns.append(
            ChartColumn(
                slot.title,
                slot.label if has_label else "",
                has_label and number // every % 2 == 1,
                f"{step * (number + (1 - BAR_SHARE) / 2):.2f}",
                _draw_segments(values, kinds, top),
                [(kind.name, value) for kind, value in zip(kinds, values, strict=True)],
                totals[number],
                slot.url,
            )
        )
    series = [
        Series(kind.name, kind.look, sum(slot.counts.get(kind.key, 0) for slot in slots)) for kind in kinds
    ]
    return Chart(series, columns, [top, top // 2, 0], f"{step * BAR_SHARE:.2f}", f"{step:.2f}")


def choose_leading_kinds(
    totals: Mapping[Any, int], names: Mapping[Any, str], rest: str, most: int
) -> list[SeriesKind]:
    """The largest totals as kinds of their own colours; where there are more, one kind `None` for all others."""
    ordered = sorted(totals, key=lambda key: (-totals[key], str(key)))
    shown = ordered if len(ordered) <= most else ordered[: most - 1]
    kinds = [SeriesKind(key, names[key], look) for key, look in zip(shown, LOOKS, strict=False)]
    return kinds if len(shown) == len(ordered) else [*kinds, SeriesKind(None, rest, REST)]


def fold_counts(counts: Mapping[Any, int], kinds: Sequence[SeriesKind]) -> dict[Any, int]:
    """Counts by the keys of these kinds; those of no kind go to `None`."""
    known = {kind.key for kind in kinds}
    totals: dict[Any, int] = {}
    for key, count in counts.items():
        place = key if key in known else None
        totals[place] = totals.get(place, 0) + count
    return totals


def draw_sparkline(values: Sequence[float]) -> str:
    """The points of a line through these values, from left to right; "" where there is nothing to see."""
    top = max(values, default=0)
    if top <= 0 or len(values) < 2:
        return ""
    step = WIDTH / (len(values) - 1)
    return " ".join(f"{step * at:.1f},{HEIGHT - HEIGHT * value / top:.1f}" for at, value in enumerate(values))


def _draw_segments(values: Sequence[int], kinds: Sequence[SeriesKind], top: int) -> list[Segment]:
    segments, below = [], HEIGHT
    for value, kind in zip(values, kinds, strict=True):
        if value:
            tall = max(HEIGHT * value / top, LEAST)
            below = max(0.0, below - tall)
            segments.append(Segment(kind.look, f"{below:.2f}", f"{tall:.2f}"))
    return segments


def _round_above(value: int) -> int:
    """The next even number of 1, 2, 4, 6, 8 or 10 times a power of ten."""
    if value <= 2:
        return 2
    power = 10 ** int(log10(value))
    return next(power * step for step in (1, 2, 4, 6, 8, 10) if power * step >= value)
