"""Which requests returned a memory, read from the newest searches in the request log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memories.models import Memory
from tenancy.models import Project, RequestLog

SEARCH = "search/memory"
# So many of the newest searches are looked through, and so many recalls are shown.
LOOKED_AT, SHOWN = 500, 20


@dataclass(frozen=True, slots=True)
class RecallingRequest:
    """A search that returned the memory; `rank` counts from 1 among its kind, `score` is its relativity, 0 to 1.

    Rank and score are None where the kept body is cut off or hidden, and `query` is "" then.
    """

    request_id: str
    at: datetime
    query: str
    rank: int | None
    score: float | None


def list_recent_recalls(project: Project, memory: Memory) -> list[RecallingRequest]:
    """The newest first; read it inside the project's scope."""
    searches = RequestLog.objects.within(project).filter(endpoint=SEARCH).order_by("-created_at", "-pk")
    newest = searches.values("pk")[:LOOKED_AT]
    requests = RequestLog.objects.within(project).filter(
        pk__in=newest, response_body__contains=str(memory.pk)
    )
    rows = requests.order_by("-created_at", "-pk").defer("trace")[:SHOWN]
    return [_read_recall(row, str(memory.pk)) for row in rows]


def _read_recall(row: RequestLog, key: str) -> RecallingRequest:
    query = _parse_object(row.request_body).get("query", "")
    rank, score = next(_iterate_places(_parse_object(row.response_body).get("data"), key), (None, None))
    return RecallingRequest(
        row.request_id, row.created_at, query if isinstance(query, str) else "", rank, score
    )


def _iterate_places(data: Any, key: str) -> Iterator[tuple[int, float | None]]:
    """Return where the memory stands in the lists of an answer."""
    lists = [items for items in data.values() if isinstance(items, list)] if isinstance(data, dict) else []
    for items in lists:
        for rank, item in enumerate(items, 1):
            if isinstance(item, dict) and item.get("id") == key:
                score = item.get("relativity")
                yield rank, float(score) if isinstance(score, int | float) else None


def _parse_object(body: str) -> dict[str, Any]:
    """A kept body; nothing where it is cut off, hidden or no JSON."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
