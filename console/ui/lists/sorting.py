"""Sortable lists: keyset pagination in the order of any column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from console.ui.lists.paging import PAGE_SIZE, KeyedPage, build_next_page_url
from console.ui.lists.query_values import parse_search_words, parse_utc_datetime, parse_whole_number
from tenancy.isolation.private_fields import is_hiding_words


@dataclass(frozen=True, slots=True)
class SortOrder:
    """A column to sort by; `read` makes a value of the address's text, None of what is malformed.

    `is_of_words` where the order itself tells what somebody said.
    """

    field: str
    read: Callable[[str], Any]
    _: KW_ONLY
    is_descending: bool
    is_of_words: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether the order may be shown to this user."""
        return not (self.is_of_words and is_hiding_words())


def _parse_text(text: str) -> str:
    return parse_search_words(text, 200)


def sort_by_datetime(field: str) -> SortOrder:
    return SortOrder(field, parse_utc_datetime, is_descending=True)


def sort_by_number(field: str) -> SortOrder:
    return SortOrder(field, parse_whole_number, is_descending=True)


def sort_by_text(field: str) -> SortOrder:
    return SortOrder(field, _parse_text, is_descending=False, is_of_words=True)


def load_sorted_page(
    request: HttpRequest, rows: QuerySet[Any], sort: SortOrder, *, keys_first: bool = False
) -> KeyedPage:
    """The rows after the address's `after`, in this order and then by id.

    `keys_first` for an order that no index has: the keys alone are sorted, and then the page's rows read.

    Without words they come newest first: places in the order of words would tell the words, one question at a time.
    """
    sort = sort if sort.is_open else sort_by_datetime("created_at")
    sign, side = ("-", "lt") if sort.is_descending else ("", "gt")
    cursor = _parse_cursor(request.GET.get("after", ""), sort)
    ordered = rows.order_by(f"{sign}{sort.field}", f"{sign}pk")
    if cursor:
        value, key = cursor
        beyond = Q(**{f"{sort.field}__{side}": value}) | Q(**{sort.field: value, f"pk__{side}": key})
        ordered = ordered.filter(beyond)
    batch = _read_rows(ordered, keys_first=keys_first)
    shown = batch[:PAGE_SIZE]
    more = (
        f"{_write_cursor_value(getattr(shown[-1], sort.field))}~{shown[-1].pk}"
        if len(batch) > PAGE_SIZE
        else ""
    )
    return KeyedPage(
        shown,
        cursor is None,
        build_next_page_url(request, "") if cursor else "",
        build_next_page_url(request, more) if more else "",
    )


def _read_rows(ordered: QuerySet[Any], *, keys_first: bool) -> list[Any]:
    if not keys_first:
        return list(ordered[: PAGE_SIZE + 1])
    keys = list(ordered.select_related(None).values_list("pk", flat=True)[: PAGE_SIZE + 1])
    by_key = {row.pk: row for row in ordered.order_by().filter(pk__in=keys)}
    return [by_key[key] for key in keys if key in by_key]


def _write_cursor_value(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _parse_cursor(text: str, sort: SortOrder) -> tuple[Any, UUID] | None:
    """A cursor that was tampered with is the first page."""
    value_text, _, key_text = text.rpartition("~")
    value = sort.read(value_text) if key_text else None
    try:
        return (value, UUID(key_text)) if value is not None else None
    except ValueError:
        return None
