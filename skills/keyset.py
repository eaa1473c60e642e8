"""Lists read in windows: what comes after a row in the order of travel, however many rows come and go meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a window ended: the row's place in its order (a moment in microseconds, or a position) and its id."""

    place: int
    id: UUID


@dataclass(frozen=True, slots=True)
class Window:
    """`limit` 0 means all. The mark is strictly before the window, in the direction of travel."""

    limit: int = 0
    after: Mark | None = None
    is_newest_first: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows of a window; `next` is the mark to go on from, and None at the end."""

    rows: list[Any]
    next: Mark | None = None


def moment_of(mark: Mark) -> datetime:
    """Raises `OverflowError` for a moment that no calendar has."""
    return _EPOCH + mark.place * _MICROSECOND


def cut(rows: QuerySet[Any], window: Window, by: str = "created_at") -> Slice:
    """The rows of the window, ordered by this field and then by id."""
    turn = "-" if window.is_newest_first else ""
    if window.after is not None:
        rows = rows.filter(_beyond(window.after, by, "lt" if window.is_newest_first else "gt"))
    rows = rows.order_by(f"{turn}{by}", f"{turn}id")
    if not window.limit:
        return Slice(list(rows))
    # One row more tells whether there are more.
    found = list(rows[: window.limit + 1])
    if len(found) <= window.limit:
        return Slice(found)
    return Slice(found[:-1], _mark(found[-2], by))


def _beyond(mark: Mark, by: str, side: str) -> Q:
    value: Any = moment_of(mark) if by == "created_at" else mark.place
    return Q(**{f"{by}__{side}": value}) | Q(**{by: value, f"id__{side}": mark.id})


def _mark(row: Any, by: str) -> Mark:
    value = getattr(row, by)
    return Mark((value - _EPOCH) // _MICROSECOND if isinstance(value, datetime) else value, row.pk)
