"""The list of requests."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.monitoring.logs.filters import WantedLogs, build_selects
from console.pages.monitoring.logs.request_histogram import build_histogram
from console.pages.shell.access import project_view
from console.pages.shell.rendering import render_page
from console.ui.lists.paging import PAGE_SIZE, build_next_page_url, load_page, parse_cursor
from tenancy.models import Project, RequestLog
from tenancy.requests.histogram import NewestBefore
from tenancy.requests.log_search import find_window_end, name_request, search_log

FIRST_ID = UUID(int=0)


@project_view("see")
@require_safe
def logs(request: HttpRequest, project: Project) -> HttpResponse:
    wanted = WantedLogs.of(request)
    searched = name_request(project, wanted.as_search())
    place = parse_cursor(request.GET.get("after", ""))
    window_end = find_window_end(project, searched, place[0] if place else None)
    compared = Q(created_at__gte=window_end) if window_end else Q()
    entries = search_log(project, searched).filter(compared)
    # Bodies are read once for chart and list.
    listed = NewestBefore(PAGE_SIZE + 1, place) if searched.text else None
    histogram = build_histogram(request, entries, wanted, window_end, listed)
    if listed:
        entries = RequestLog.objects.within(project).filter(compared, pk__in=histogram.newest)
    rows = entries.select_related("api_key").defer("request_body", "response_body", "trace")
    page = load_page(request, rows)
    goes_on = window_end is not None and not page.next_url
    context = {
        "project": project,
        "wanted": wanted,
        "selects": build_selects(project, wanted),
        "entries": page.rows,
        "is_first_page": page.is_first,
        "clear_url": reverse("console:logs", args=[project.pk]),
        "histogram": histogram,
        "has_any": bool(page.rows) or RequestLog.objects.within(project).exists(),
        "download_query": _build_download_query(request),
        "caption": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "window_end": window_end if goes_on else None,
        "older_url": build_next_page_url(request, f"{window_end.isoformat()}~{FIRST_ID}")
        if goes_on and window_end
        else "",
    }
    return render_page(
        request, "console/monitoring/logs/page.html", "console/monitoring/logs/_list.html", context
    )


def _build_download_query(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    return query.urlencode()
