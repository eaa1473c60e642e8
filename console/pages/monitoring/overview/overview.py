"""The overview of a project, which is the first page of a project."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.monitoring.overview.request_chart import STACKS, build_request_chart
from console.pages.monitoring.overview.tiles import (
    SEARCH,
    build_health_tile,
    build_tiles,
    list_fullest_levels,
)
from console.pages.shell.access import get_access, project_view
from console.pages.shell.rendering import render_page
from console.pages.shell.sample_offer import build_sample_offer
from console.ui.lists.query_values import parse_choice
from memories.jobs.task_counts import count_project_work
from memories.retrieval.browse.health_cache import get_cached_score, load_health_score
from memories.retrieval.browse.project_totals import (
    count_by_kind,
    count_end_users,
    has_data,
    load_changes_since,
)
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.usage import list_meter_fill_levels
from tenancy.models import Project, RequestLog
from tenancy.requests.recent_figures import list_failures, load_recent_requests

REFRESH_SECONDS = 10


def is_in_use(project: Project) -> bool:
    """Return whether somebody called the API for it or it holds anything; inside the project's scope."""
    return has_data(project) or RequestLog.objects.within(project).exists()


def start_address(project: Project) -> str:
    """Return where a project opens: its overview, and the quickstart as long as nobody used it."""
    with tenant_scope(project):
        name = "overview" if is_in_use(project) else "quickstart"
    return reverse(f"console:{name}", args=[project.pk])


@project_view("see", is_scoped=False)
@require_safe
def start(request: HttpRequest, project: Project) -> HttpResponse:
    return HttpResponseRedirect(start_address(project))


@project_view("see")
@require_safe
def overview(request: HttpRequest, project: Project) -> HttpResponse:
    context = {"project": project, "refresh_seconds": REFRESH_SECONDS}
    if is_in_use(project):
        context |= _build_figures_context(request, project)
    else:
        context |= build_sample_offer(request)
    return render_page(
        request,
        "console/monitoring/overview/page.html",
        "console/monitoring/overview/_overview.html",
        context,
    )


@project_view("see")
@require_safe
def overview_health(request: HttpRequest, project: Project) -> HttpResponse:
    """The tile of the score, which a page loads by itself: it takes longer than all other figures."""
    tile = build_health_tile(project, load_health_score(project))
    template = "console/monitoring/overview/_tile.html"
    return render_page(request, template, template, {"project": project, "tile": tile})


def _build_figures_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    now = timezone.now()
    recent_requests = load_recent_requests([project.pk], now, timed=SEARCH)
    stack = parse_choice(request.GET.get("by", ""), STACKS)
    kinds, users, work = (
        count_by_kind(project),
        count_end_users(project),
        count_project_work(project, recent_requests.since),
    )
    return {
        "is_in_use": True,
        "drawn_at": now,
        "recent": recent_requests,
        "everything": recent_requests.total,
        "tiles": build_tiles(
            project,
            recent_requests=recent_requests,
            kinds=kinds,
            users=users,
            work=work,
            health=get_cached_score(project),
        ),
        "kinds": kinds,
        "levels": list_fullest_levels(list_meter_fill_levels(get_access(request).account)),
        "chart": build_request_chart(recent_requests, stack),
        "stack": stack,
        "stacks": [("", _("By API")), ("code", _("By code"))],
        "failures": list_failures(project, recent_requests),
        "routes": recent_requests.list_routes(),
        "changes": load_changes_since(project, recent_requests.since),
    }
