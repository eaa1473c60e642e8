"""Requests that match the list's filters, as a file: one line each, newest first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from console.pages.monitoring.logs.filters import WantedLogs
from console.pages.shell.access import get_access, get_person, mask_for_reader, project_view
from console.ui.texts.spreadsheet_cells import write_csv_row
from skills.catalogue.archive import Download
from skills.catalogue.download_views import build_attachment_response
from tenancy.audit.log import record_event
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog
from tenancy.requests.log_search import LogSearch, find_window_end, name_request, search_log

# More are downloaded in several spans of time.
MOST_ROWS = 10_000
# With bodies of 20,000 characters each.
PAGE = 100
FIELDS = "time request_id method endpoint code http_status milliseconds origin key subject charged".split()
BODIES = ["request_body", "response_body"]


@project_view("see", is_scoped=False)
@require_safe
def logs_download(request: HttpRequest, project: Project, form: str) -> HttpResponseBase:
    """The newest 10,000 requests at most, with their bodies where the member may read them."""
    if form not in FORMATS:
        raise Http404
    with tenant_scope(project):
        detail = {"format": form}
        record_event(
            project.account,
            get_person(request),
            "request_logs.downloaded",
            project,
            project=project,
            detail=detail,
        )
    with mask_for_reader(request), tenant_scope(project):
        search = name_request(project, WantedLogs.of(request).as_search())
    write, mime = FORMATS[form]
    name = f"request-logs-{datetime.now(UTC):%Y-%m-%d-%H%M}.{form}"
    fields = [*FIELDS, *(BODIES if get_access(request).reads_words else [])]
    return build_attachment_response(
        Download(name, mime, write(fields, _iterate_rows(request, project, search)))
    )


def _iterate_rows(request: HttpRequest, project: Project, search: LogSearch) -> Iterator[RequestLog]:
    last: RequestLog | None = None
    for _ in range(0, MOST_ROWS, PAGE):
        page = _load_page(request, project, search, last)
        yield from page
        if len(page) < PAGE:
            return
        last = page[-1]


def _load_page(
    request: HttpRequest, project: Project, search: LogSearch, last: RequestLog | None
) -> list[RequestLog]:
    """Load a page of entries in a scope and transaction of its own, masked as the member's pages are."""
    with mask_for_reader(request), tenant_scope(project):
        entries = search_log(project, search).select_related("api_key").defer("trace")
        if end := find_window_end(project, search, last.created_at if last else None):
            entries = entries.filter(created_at__gte=end)
        return list(_filter_after(entries, last).order_by("-created_at", "-pk")[:PAGE])


def _filter_after(entries: QuerySet[RequestLog], last: RequestLog | None) -> QuerySet[RequestLog]:
    if last is None:
        return entries
    return entries.filter(Q(created_at__lt=last.created_at) | Q(created_at=last.created_at, pk__lt=last.pk))


def _build_line(entry: RequestLog) -> dict[str, Any]:
    return {
        "time": f"{entry.created_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{entry.created_at.microsecond // 1000:03d}Z",
        "request_id": entry.request_id,
        "method": entry.method,
        "endpoint": entry.endpoint,
        "code": entry.code,
        "http_status": entry.http_status,
        "milliseconds": entry.milliseconds,
        "origin": entry.origin,
        "key": entry.api_key.name if entry.api_key else "",
        "subject": entry.subject_id,
        "charged": entry.charged,
        "request_body": entry.request_body,
        "response_body": entry.response_body,
    }


def _as_lines(fields: list[str], entries: Iterator[RequestLog]) -> Iterator[bytes]:
    for entry in entries:
        line = _build_line(entry)
        yield json.dumps({name: line[name] for name in fields}, ensure_ascii=False).encode() + b"\n"


def _as_table(fields: list[str], entries: Iterator[RequestLog]) -> Iterator[bytes]:
    yield write_csv_row(fields)
    for entry in entries:
        line = _build_line(entry)
        yield write_csv_row(line[name] for name in fields)


Writer = Callable[[list[str], Iterator[RequestLog]], Iterator[bytes]]
FORMATS: dict[str, tuple[Writer, str]] = {
    "jsonl": (_as_lines, "application/x-ndjson"),
    "csv": (_as_table, "text/csv; charset=utf-8"),
}
