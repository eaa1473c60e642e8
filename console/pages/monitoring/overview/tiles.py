"""The tiles of the overview: a figure, its last day as a line, and the list that it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from console.templatetags.console import about, duration, num, percent
from console.ui.charts import draw_sparkline
from memories.jobs.task_counts import ProjectWork
from memories.retrieval.browse.health_cache import HealthScore
from memories.retrieval.browse.project_totals import KindCounts
from tenancy.metering.meters import NAMES
from tenancy.metering.usage import MeterFillLevel
from tenancy.models import Project
from tenancy.requests.recent_figures import RecentRequests

SEARCH = "search/memory"


@dataclass(frozen=True, slots=True)
class TilePart:
    """A part of a tile's figure, with the list of just that part where there is one."""

    name: str
    value: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    title: str
    value: str
    url: str = ""
    line: str = ""
    look: str = ""
    note: str = ""
    loads: str = ""  # the address of the tile itself, where working it out is not waited for
    since: datetime | None = None
    parts: list[TilePart] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QuotaLevel:
    """A meter of this month that the plan limits."""

    name: str
    taken: int
    allowed: int
    percent: int

    @property
    def look(self) -> str:
        return "bad" if self.percent >= 100 else "warn" if self.percent >= 80 else "calm"


def list_fullest_levels(levels: list[MeterFillLevel], most: int = 4) -> list[QuotaLevel]:
    """The meters of which the largest shares are used."""
    ordered = sorted(levels, key=lambda level: -level.percent)[:most]
    return [
        QuotaLevel(str(NAMES[level.meter]), level.taken, level.allowed, level.percent) for level in ordered
    ]


def build_tiles(
    project: Project,
    *,
    recent_requests: RecentRequests,
    kinds: KindCounts,
    users: int,
    work: ProjectWork,
    health: HealthScore | None,
) -> list[Tile]:
    return [
        _build_requests_tile(project, recent_requests),
        _build_failures_tile(project, recent_requests),
        _build_searches_tile(project, recent_requests),
        _build_memories_tile(project, kinds),
        Tile("users", _("End users"), about(users), _build_list_url(project, "users")),
        _build_work_tile(project, work),
        build_health_tile(project, health),
    ]


def _build_list_url(project: Project, name: str, **filters: str) -> str:
    address = reverse(f"console:{name}", args=[project.pk])
    return f"{address}?{urlencode(filters)}" if filters else address


def _format_count(count: int, *, is_cut: bool) -> str:
    return _("more than %(count)s") % {"count": num(count)} if is_cut else num(count)


def _build_requests_tile(project: Project, recent_requests: RecentRequests) -> Tile:
    by_hour = recent_requests.counts_by_hour(lambda _group: "all")
    line = draw_sparkline([by_hour[hour]["all"] for hour in recent_requests.list_hours()])
    value = _format_count(recent_requests.total.count, is_cut=recent_requests.is_cut)
    return Tile("requests", _("Requests, 24 h"), value, _build_list_url(project, "logs", range="24h"), line)


def _build_failures_tile(project: Project, recent_requests: RecentRequests) -> Tile:
    calls = recent_requests.total
    parts = [
        TilePart(title, num(count), _build_list_url(project, "logs", outcome=outcome, range="24h"))
        for outcome, title, count in (
            ("refused", _("Refused (4xx)"), calls.refused),
            ("broken", _("Server error (5xx)"), calls.broken),
        )
    ]
    by_hour = recent_requests.counts_by_hour(lambda group: group.code != 0)
    line = draw_sparkline([_compute_share(by_hour[hour]) for hour in recent_requests.list_hours()])
    share = format_percent_exactly(calls.failed_share) if calls.count else "–"
    return Tile("failures", _("Failed, 24 h"), share, line=line, look="bad", parts=parts)


def _compute_share(counts: Mapping[bool, int]) -> float:
    failed = counts.get(True, 0)
    return failed / (failed + counts.get(False, 0)) if failed else 0.0


def format_percent_exactly(share: float) -> str:
    """A failure among thousands is not 0%."""
    return f"{num(share * 100, 1)}%" if 0 < share < 0.1 else percent(share)


def _build_searches_tile(project: Project, recent_requests: RecentRequests) -> Tile:
    calls = recent_requests.route(SEARCH)
    address = _build_list_url(project, "logs", endpoint=SEARCH, range="24h")
    parts = [
        TilePart("p50", duration(calls.median) if calls.count else "–"),
        TilePart("p99", duration(calls.p99) if calls.count else "–"),
        TilePart(_("Searches"), num(calls.count), address),
    ]
    timed = recent_requests.timed_hours
    line = draw_sparkline(
        [timed[hour].p95 if hour in timed else 0.0 for hour in recent_requests.list_hours()]
    )
    value = duration(calls.p95) if calls.count else "–"
    return Tile("searches", _("Search time, p95"), value, address, line, parts=parts)


# The tabs of the list of memories with the kinds that they hold.
TABS: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("facts", lambda: _("Facts"), ("fact",)),
    ("preferences", lambda: _("Preferences"), ("preference",)),
    ("tools", lambda: _("Tool memories"), ("tool_schema", "tool_trajectory")),
    ("skills", lambda: _("Skills"), ("skill",)),
)


def _build_memories_tile(project: Project, kinds: KindCounts) -> Tile:
    parts = [
        TilePart(title(), _format_count_of_kinds(kinds, held), _build_list_url(project, "memories", tab=tab))
        for tab, title, held in TABS
    ]
    total, is_cut = kinds.of(kinds.by_kind)
    value = _format_count(total, is_cut=is_cut)
    return Tile("memories", _("Memories"), value, _build_list_url(project, "memories"), parts=parts)


def _build_work_tile(project: Project, work: ProjectWork) -> Tile:
    parts = [
        TilePart(_("Running"), num(work.running), _build_list_url(project, "tasks", status="running")),
        TilePart(
            _("Failed, 24 h"),
            num(work.failed),
            _build_list_url(project, "tasks", status="failed", range="24h"),
        ),
    ]
    return Tile(
        "tasks",
        _("Tasks waiting"),
        about(work.waiting),
        _build_list_url(project, "tasks", status="queued"),
        look="bad" if work.failed else "",
        since=work.oldest_due_at,
        parts=parts,
    )


def build_health_tile(project: Project, health: HealthScore | None) -> Tile:
    address, title = _build_list_url(project, "health"), _("Memory health")
    if health is None:
        return Tile("health", title, "–", address, loads=_build_list_url(project, "overview_health"))
    if not health.reviewed:
        return Tile("health", title, "–", address, note=_("No memories to check yet."))
    note = _("Share of the newest memories without duplicates, contradictions or other problems.")
    part = TilePart(_("To review"), num(health.to_review), address)
    return Tile("health", title, f"{health.score} / 100", address, note=note, parts=[part])


def _format_count_of_kinds(kinds: KindCounts, held: tuple[str, ...]) -> str:
    """Where not everything was counted, there are at least as many."""
    count, is_cut = kinds.of(held)
    return f"≥ {num(count)}" if is_cut else num(count)
