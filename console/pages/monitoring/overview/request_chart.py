"""The requests of a day as columns by the hour, stacked by endpoint or by code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _

from console.ui.charts import (
    Chart,
    ChartSlot,
    SeriesKind,
    choose_leading_kinds,
    draw_stacked_columns,
    fold_counts,
)
from tenancy.requests.recent_figures import RecentRequests, RequestGroup

MOST_KINDS = 5
STACKS: dict[str, Callable[[RequestGroup], Any]] = {
    "": lambda group: group.endpoint,
    "code": lambda group: group.code,
}


def build_request_chart(recent_requests: RecentRequests, stack: str) -> Chart:
    by_hour = recent_requests.counts_by_hour(STACKS[stack])
    totals = sum(by_hour.values(), Counter[Any]())
    kinds = (
        _list_code_kinds(totals, {group.code for group in recent_requests.groups if group.is_broken})
        if stack == "code"
        else _list_endpoint_kinds(totals)
    )
    slots = [
        ChartSlot(
            f"{hour:%H:%M}",
            f"{hour:%m-%d %H:%M}–{hour + timedelta(hours=1):%H:%M} UTC",
            fold_counts(by_hour.get(hour, {}), kinds),
        )
        for hour in recent_requests.list_hours()
    ]
    return draw_stacked_columns(slots, kinds)


def _list_endpoint_kinds(totals: Counter[Any]) -> list[SeriesKind]:
    return choose_leading_kinds(
        totals, {name: f"/{name}" for name in totals}, _("Other endpoints"), MOST_KINDS
    )


def _list_code_kinds(totals: Counter[Any], broken: set[int]) -> list[SeriesKind]:
    """What went well is below, in a colour of its own; so is the most frequent fault of the server."""
    failed = Counter({code: count for code, count in totals.items() if code})
    names = {code: _("Code %(code)s") % {"code": code} for code in failed}
    fine = [SeriesKind(0, _("OK"), "teal")] if totals[0] else []
    looks = ["amber", "violet", "sky", "indigo"]
    others = choose_leading_kinds(failed, names, _("Other codes"), MOST_KINDS - 1)
    worst = next((kind.key for kind in others if kind.key in broken), None)
    return fine + [SeriesKind(kind.key, kind.name, _choose_look(kind, worst, looks)) for kind in others]


def _choose_look(kind: SeriesKind, worst: int | None, looks: list[str]) -> str:
    if kind.key is None:
        return kind.look
    return "bad" if kind.key == worst else looks.pop(0)
