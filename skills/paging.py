"""Keyset pagination: windows that start after a row, stable while rows are added and deleted.

No window is without bounds: where its reader names no limit it ends at so many rows, and where rows can be large at so
many bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Expression, F, Func, IntegerField, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce

# Of a list whose reader names no limit.
MOST_ROWS = 1_000
# Of the rows of one answer; one that is larger alone is one answer.
MOST_BYTES = 8 * 1024 * 1024
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class PageMark:
    """End of a window: the row's position in its order (microseconds of its time, or a number) and its id."""

    place: int
    id: UUID


@dataclass(frozen=True, slots=True)
class PageWindow:
    """`limit` 0 means `MOST_ROWS`. The mark is strictly before the window, in the direction of travel."""

    limit: int = 0
    after: PageMark | None = None
    is_newest_first: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows of a window; `next` is the mark to go on from, and None at the end. `size` is what they take in an
    answer (bytes), where that was asked for."""

    rows: list[Any]
    next: PageMark | None = None
    size: int = 0


def get_mark_time(mark: PageMark) -> datetime:
    """The time of a mark. Raises `OverflowError` for a time outside of the calendar."""
    return _EPOCH + mark.place * _MICROSECOND


def count_json_octets(*fields: str) -> Expression:
    """Bytes of these fields of a row as JSON text. Use small windows for rows with large values."""
    total: Any = Value(0)
    for name in fields:
        text = Cast(F(name), TextField())
        total += Coalesce(Func(text, function="octet_length", output_field=IntegerField()), 0)
    return total


def read_window(
    rows: QuerySet[Any], window: PageWindow, by: str = "created_at", size: Expression | Coalesce | None = None
) -> Slice:
    """Read the rows of the window, ordered by this field and then by id.

    With `size`, an expression for what a row takes in an answer (bytes), only as many rows as `MOST_BYTES` hold are
    read, and at least one.
    """
    turn = "-" if window.is_newest_first else ""
    if window.after is not None:
        rows = rows.filter(_build_page_condition(window.after, by, "lt" if window.is_newest_first else "gt"))
    rows = rows.order_by(f"{turn}{by}", f"{turn}id")
    most = window.limit or MOST_ROWS
    if size is not None:
        return _cut_by_bytes(rows, most, by, size)
    # One row more tells whether there are more.
    page_rows = list(rows[: most + 1])
    if len(page_rows) <= most:
        return Slice(page_rows)
    return Slice(page_rows[:-1], mark_at(getattr(page_rows[-2], by), page_rows[-2].pk))


def _cut_by_bytes(rows: QuerySet[Any], most: int, by: str, size: Any) -> Slice:
    sized = list(rows.annotate(answer_bytes=size).values_list(by, "pk", "answer_bytes")[: most + 1])
    count, left = 0, MOST_BYTES
    for _, _, row_size in sized[:most]:
        left -= row_size
        if left < 0 and count:
            break
        count += 1
    page_rows = list(rows.filter(pk__in=[key for _, key, _ in sized[:count]]))
    taken = sum(row_size for _, _, row_size in sized[:count])
    if count == len(sized):
        return Slice(page_rows, size=taken)
    place, key, _ = sized[count - 1]
    return Slice(page_rows, mark_at(place, key), taken)


def _build_page_condition(mark: PageMark, by: str, side: str) -> Q:
    value: Any = get_mark_time(mark) if by == "created_at" else mark.place
    return Q(**{f"{by}__{side}": value}) | Q(**{by: value, f"id__{side}": mark.id})


def mark_at(place: Any, key: UUID) -> PageMark:
    """The mark of a row at a time or at a position."""
    return PageMark((place - _EPOCH) // _MICROSECOND if isinstance(place, datetime) else place, key)
