"""Request logs: the list, and one request with its trace."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.shell.access import access_of, project_view
from console.pages.shell.explain_codes import explain
from console.pages.shell.rendering import show, show_page
from console.ui.paging import page_of
from console.ui.selects import RANGES, Select, one_of, ranges, words_of
from console.ui.waterfall import stages_of
from memories.models import Task
from memories.values import SUBJECT_KINDS
from tenancy.models import Project, RequestLog
from tenancy.requests.reading import OUTCOMES

ENDPOINTS = (
    "add/message",
    "search/memory",
    "get/memory",
    "get/message",
    "get/status",
    "delete/memory",
    "add/feedback",
    "create/knowledgebase",
    "add/knowledgebase-file",
    "get/knowledgebase-file",
    "delete/knowledgebase-file",
    "delete/knowledgebase",
)


@dataclass(frozen=True, slots=True)
class WantedLogs:
    """The filters, as the address holds them."""

    q: str
    subject: str
    endpoint: str
    outcome: str
    range: str

    @classmethod
    def of(cls, request: HttpRequest) -> WantedLogs:
        asked = request.GET
        return cls(
            q=words_of(asked.get("q", ""), 200),
            subject=words_of(asked.get("subject", ""), 100),
            endpoint=one_of(asked.get("endpoint", ""), ENDPOINTS),
            outcome=one_of(asked.get("outcome", ""), OUTCOMES),
            range=one_of(asked.get("range", ""), RANGES),
        )

    @property
    def is_narrow(self) -> bool:
        return any((self.q, self.subject, self.endpoint, self.outcome, self.range))


@project_view("see")
@require_safe
def logs(request: HttpRequest, project: Project) -> HttpResponse:
    wanted = WantedLogs.of(request)
    page = page_of(request, matching(project, wanted).select_related("api_key"))
    context = {
        "project": project,
        "wanted": wanted,
        "selects": _selects(wanted),
        "entries": page.rows,
        "is_first_page": page.is_first,
        "clear_url": reverse("console:logs", args=[project.pk]),
        "said": _("Newest first"),
        "previous_url": page.first_url,
        "next_url": page.next_url,
    }
    return show(request, "console/logs/page.html", "console/logs/_list.html", context)


@project_view("see")
@require_safe
def log(request: HttpRequest, project: Project, request_id: str) -> HttpResponse:
    entry = RequestLog.objects.within(project).select_related("api_key").filter(request_id=request_id).first()
    if entry is None:
        raise Http404
    context = {
        "project": project,
        "entry": entry,
        "stages": stages_of(entry.trace, entry.milliseconds),
        "explained": explain(entry) if entry.code != 0 else None,
        "shows_prefix": access_of(request).may("create_key"),
        "outcome": outcome_of(project, entry),
    }
    return show_page(request, "console/logs/log.html", context)


def outcome_of(project: Project, entry: RequestLog) -> str:
    """What came of the feedback or the messages of the request: which memories changed, and why others did not."""
    if entry.endpoint not in {"add/feedback", "add/message"} or entry.code != 0:
        return ""
    match = re.search(r'"task_id": "([0-9a-f-]{36})"', entry.response_body)
    task = Task.objects.within(project).filter(pk=match[1]).first() if match else None
    return json.dumps(task.result) if task and task.result else ""


def matching(project: Project, wanted: WantedLogs) -> QuerySet[RequestLog]:
    """The project's requests that fit the filters; read inside the project's scope."""
    entries: QuerySet[RequestLog] = RequestLog.objects.within(project)
    if wanted.endpoint:
        entries = entries.filter(endpoint=wanted.endpoint)
    if wanted.outcome:
        entries = entries.filter(OUTCOMES[wanted.outcome])
    if wanted.subject:
        named = [f"{kind}:{wanted.subject}" for kind in SUBJECT_KINDS]
        entries = entries.filter(subjects__overlap=named)
    if wanted.range:
        entries = entries.filter(created_at__gte=timezone.now() - RANGES[wanted.range])
    if wanted.q:
        entries = entries.filter(_text(wanted))
    return entries


def _text(wanted: WantedLogs) -> Q:
    """Bodies are searched a week back at most: nobody waits for a year of text."""
    week_ago = timezone.now() - timedelta(days=7)
    in_bodies = Q(request_body__icontains=wanted.q) | Q(response_body__icontains=wanted.q)
    return Q(request_id=wanted.q) | (in_bodies & Q(created_at__gte=week_ago))


def _selects(wanted: WantedLogs) -> list[Select]:
    return [
        Select(
            "endpoint",
            _("Endpoint"),
            wanted.endpoint,
            [("", _("Any endpoint")), *((e, e) for e in ENDPOINTS)],
        ),
        Select(
            "outcome",
            _("Outcome"),
            wanted.outcome,
            [
                ("", _("Any outcome")),
                ("ok", _("OK")),
                ("refused", _("Refused (4xx)")),
                ("broken", _("Server error (5xx)")),
            ],
        ),
        ranges(wanted.range),
    ]
