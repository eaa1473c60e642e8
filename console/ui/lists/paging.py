"""Keyset pagination: the thousandth page is as fast as the first, and new rows shift nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from console.ui.lists.query_values import parse_utc_datetime

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class KeyedPage:
    rows: list[Any]
    is_first: bool
    first_url: str
    next_url: str


def load_page(
    request: HttpRequest, rows: QuerySet[Any], by: str = "created_at", size: int | None = None
) -> KeyedPage:
    """The rows after the address's `after`, newest first. The models' ids and `created_at` grow together.

    A page has `size` rows, or `PAGE_SIZE`.
    """
    size = PAGE_SIZE if size is None else size
    cursor = parse_cursor(request.GET.get("after", ""))
    newest_first = rows.order_by(f"-{by}", "-pk")
    if cursor:
        timestamp, key = cursor
        newest_first = newest_first.filter(Q((f"{by}__lt", timestamp)) | Q((by, timestamp), pk__lt=key))
    batch = list(newest_first[: size + 1])
    shown = batch[:size]
    has_more = len(batch) > size
    return KeyedPage(
        shown,
        cursor is None,
        build_next_page_url(request, "") if cursor else "",
        build_next_page_url(request, f"{getattr(shown[-1], by).isoformat()}~{shown[-1].pk}")
        if has_more
        else "",
    )


def parse_cursor(text: str) -> tuple[datetime, UUID] | None:
    """A cursor that was tampered with is the first page."""
    time_text, _, key_text = text.partition("~")
    timestamp = parse_utc_datetime(time_text)
    try:
        return (timestamp, UUID(key_text)) if timestamp else None
    except ValueError:
        return None


def build_next_page_url(request: HttpRequest, after: str) -> str:
    query = request.GET.copy()
    for name in ("after", "open", "view"):
        query.pop(name, None)
    if after:
        query["after"] = after
    return f"{request.path}?{query.urlencode()}"
