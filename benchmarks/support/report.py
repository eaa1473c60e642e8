"""What a measurement found: tables for people, JSON for comparisons, and what was promised."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

RESULTS = Path(__file__).parents[1] / "results"


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: list[str]
    rows: list[list[str | float | int]]

    def text(self) -> str:
        cells = [self.columns, *[[_shown(cell) for cell in row] for row in self.rows]]
        widths = [max(len(row[at]) for row in cells) for at in range(len(self.columns))]
        lines = ["  ".join(_aligned(cell, at, widths[at]) for at, cell in enumerate(row)) for row in cells]
        return "\n".join([self.title, "", *lines, ""])


@dataclass(frozen=True, slots=True)
class Promise:
    """What the measured figure may be at most."""

    what: str
    figure: float
    at_most: float

    @property
    def is_kept(self) -> bool:
        return self.figure <= self.at_most

    def text(self) -> str:
        verdict = "kept" if self.is_kept else "NOT KEPT"
        return f"{self.what}: {_shown(self.figure)}, promised at most {_shown(self.at_most)}: {verdict}"


@dataclass(slots=True)
class Report:
    name: str
    tables: list[Table] = field(default_factory=list)
    promises: list[Promise] = field(default_factory=list)
    circumstances: dict[str, str | float | int] = field(default_factory=dict)

    def publish(self) -> None:
        """Prints the tables and writes `results/local-NAME.json`."""
        for table in self.tables:
            print(f"\n{table.text()}")
        for promise in self.promises:
            print(promise.text())
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"local-{self.name}.json"
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")


def machine() -> dict[str, str | float | int]:
    """In general words, and how busy it was with other things before the measurement began."""
    return {
        "cores": os.cpu_count() or 0,
        "memory_gib": round(psutil.virtual_memory().total / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_average_before": round(os.getloadavg()[0], 2),
    }


def percentile(values: Sequence[float], percent: float) -> float:
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def spread(name: str, milliseconds: Sequence[float]) -> list[str | float | int]:
    """A row of p50, p95, p99 and the largest."""
    return [name, *(round(percentile(milliseconds, p), 2) for p in (50, 95, 99, 100))]


SPREAD_COLUMNS = ["", "p50 ms", "p95 ms", "p99 ms", "max ms"]


def _shown(cell: str | float | int) -> str:
    return f"{cell:,.2f}" if isinstance(cell, float) else str(cell)


def _aligned(cell: str, column: int, width: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)
