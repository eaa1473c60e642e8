"""Bars by day, drawn by the server: an SVG needs no script, and a table stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil, log10

WIDTH, HEIGHT = 720.0, 168.0
LEFT, BELOW, ABOVE = 56.0, 22.0, 8.0
# Above it bars would be thinner than the gaps between them.
WIDEST_BAR = 28.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One day; places are text, because no language may write them with a comma."""

    day: date
    value: int
    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True, slots=True)
class Line:
    value: int
    y: str


@dataclass(frozen=True, slots=True)
class Label:
    day: date
    x: str


@dataclass(frozen=True, slots=True)
class Chart:
    bars: list[Bar]
    lines: list[Line]
    labels: list[Label]
    width: str = f"{WIDTH:.0f}"
    height: str = f"{HEIGHT:.0f}"
    left: str = f"{LEFT:.0f}"
    label_y: str = f"{HEIGHT - 6:.0f}"
    number_x: str = f"{LEFT - 8:.0f}"

    @property
    def total(self) -> int:
        return sum(bar.value for bar in self.bars)


def bars_of(days: Sequence[tuple[date, int]]) -> Chart:
    """Every day of the range in its order, those without anything included."""
    top = _round_above(max((value for _, value in days), default=0))
    step = (WIDTH - LEFT) / max(len(days), 1)
    width = min(step * 0.7, WIDEST_BAR)
    plot_height = HEIGHT - BELOW - ABOVE
    bars = []
    for number, (day, value) in enumerate(days):
        tall = value / top * plot_height
        # What is there at all can be seen.
        tall = max(tall, 1.5) if value else 0.0
        x, y = LEFT + step * number + (step - width) / 2, HEIGHT - BELOW - tall
        bars.append(Bar(day, value, f"{x:.2f}", f"{y:.2f}", f"{width:.2f}", f"{tall:.2f}"))
    lines = [Line(round(top * part), f"{HEIGHT - BELOW - plot_height * part:.2f}") for part in (0, 0.5, 1)]
    return Chart(bars, lines, _labels(days, step))


def _labels(days: Sequence[tuple[date, int]], step: float) -> list[Label]:
    """A few days by name: first, last and some in between."""
    every = max(1, ceil(len(days) / 6))
    return [
        Label(day, f"{LEFT + step * (number + 0.5):.2f}")
        for number, (day, _) in enumerate(days)
        if number % every == 0
    ]


def _round_above(value: int) -> int:
    """The next even number of 1, 2 or 5 times a power of ten."""
    if value <= 2:
        return 2
    power = 10 ** int(log10(value))
    return next(power * step for step in (1, 2, 4, 6, 8, 10) if power * step >= value)
