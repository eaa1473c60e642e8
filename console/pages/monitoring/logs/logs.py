"""The list of requests."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.monitoring.logs.filters import WantedLogs, selects_of
from console.pages.monitoring.logs.request_histogram import histogram_of
from console.pages.shell.access import project_view
from console.pages.shell.rendering import show
from console.ui.paging import address_after, cursor_of, page_of
from tenancy.models import Project, RequestLog
from tenancy.requests.log_search import find_window_end, is_request_id, search_log

FIRST_ID = UUID(int=0)


@project_view("see")
@require_safe
def logs(request: HttpRequest, project: Project) -> HttpResponse:
    wanted = WantedLogs.of(request)
    searched = wanted.as_search()
    window_end = None if is_request_id(project, wanted.q) else _window_end(request, project, wanted)
    entries = search_log(project, searched).select_related("api_key")
    if window_end:
        entries = entries.filter(created_at__gte=window_end)
    page = page_of(request, entries.defer("request_body", "response_body", "trace"))
    goes_on = window_end is not None and not page.next_url
    context = {
        "project": project,
        "wanted": wanted,
        "selects": selects_of(project, wanted),
        "entries": page.rows,
        "is_first_page": page.is_first,
        "clear_url": reverse("console:logs", args=[project.pk]),
        "histogram": histogram_of(request, project, wanted, window_end),
        "has_any": bool(page.rows) or RequestLog.objects.within(project).exists(),
        "download_query": _download_query(request),
        "said": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "window_end": window_end if goes_on else None,
        "older_url": address_after(request, f"{window_end.isoformat()}~{FIRST_ID}")
        if goes_on and window_end
        else "",
    }
    return show(request, "console/monitoring/logs/page.html", "console/monitoring/logs/_list.html", context)


def _download_query(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    return query.urlencode()


def _window_end(request: HttpRequest, project: Project, wanted: WantedLogs) -> datetime | None:
    cursor = cursor_of(request.GET.get("after", ""))
    return find_window_end(project, wanted.as_search(), cursor[0] if cursor else None)
