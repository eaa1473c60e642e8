"""The audit log of an account: filters, what changed, verification, export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.pages.account.audit.audit_actions import SUBJECTS
from console.pages.account.audit.entry_text import ACTOR_KINDS, build_entries
from console.pages.shell.access import Access, account_view, get_access, get_person
from console.pages.shell.rendering import render_page
from console.ui.lists.paging import load_page
from console.ui.lists.query_filters import Dropped, FilterReader
from console.ui.lists.query_values import RANGES, Select, build_range_filter
from console.ui.texts.spreadsheet_cells import write_csv_row
from skills.catalogue.archive import Download
from skills.catalogue.download_views import build_attachment_response
from tenancy.audit.log import export_events, record_event, verify_chain
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, AuditEvent


@dataclass(frozen=True, slots=True)
class WantedEntries:
    """The filters, as the address holds them; `dropped` are those that are not valid."""

    q: str
    kind: str
    subject: str
    project: str
    range: str
    dropped: tuple[Dropped, ...] = ()

    @classmethod
    def of(cls, request: HttpRequest, account: Account) -> WantedEntries:
        asked = FilterReader(request.GET)
        projects = {str(key) for key in account.projects.values_list("pk", flat=True)}
        return cls(
            q=asked.words("q", 100, _("Words")),
            kind=asked.choice("kind", ACTOR_KINDS, _("Actor")),
            subject=asked.choice("subject", SUBJECTS, _("About")),
            project=asked.choice("project", projects, _("Project")),
            range=asked.choice("range", RANGES, _("Time")),
            dropped=tuple(asked.dropped),
        )

    @property
    def is_narrow(self) -> bool:
        return any((self.q, self.kind, self.subject, self.project, self.range))


@account_view("see_own_audit")
@require_safe
def audit(request: HttpRequest, account: Account) -> HttpResponse:
    access = get_access(request)
    wanted = WantedEntries.of(request, account)
    with tenant_scope(account):
        page = load_page(request, filter_entries(access, wanted))
        entries = build_entries(account, page.rows)
    context = {
        "account": account,
        "wanted": wanted,
        "selects": _selects(account, wanted),
        "entries": entries,
        "sees_all": access.may("see_audit"),
        "caption": _("Newest first"),
        "clear_url": reverse("console:audit", args=[account.pk]),
        "previous_url": page.first_url,
        "next_url": page.next_url,
    }
    return render_page(
        request, "console/account/audit/page.html", "console/account/audit/_list.html", context
    )


def filter_entries(access: Access, wanted: WantedEntries) -> QuerySet[AuditEvent]:
    """The entries that fit the filters; others than owners and admins see only their own."""
    entries: QuerySet[AuditEvent] = AuditEvent.objects.within(access.account)
    if not access.may("see_audit"):
        entries = entries.filter(actor_id=access.membership.user_id)
    if wanted.kind:
        entries = entries.filter(actor_kind=wanted.kind)
    if wanted.subject:
        entries = entries.filter(action__startswith=f"{wanted.subject}.")
    if wanted.project:
        entries = entries.filter(project_id=wanted.project)
    if wanted.range:
        entries = entries.filter(created_at__gte=timezone.now() - RANGES[wanted.range])
    if wanted.q:
        named = Q(action__icontains=wanted.q) | Q(actor__email__istartswith=wanted.q)
        exact = Q(object_id=wanted.q) | Q(request_id=wanted.q) | Q(address=wanted.q) | Q(actor_label=wanted.q)
        entries = entries.filter(named | exact)
    return entries


@account_view("see_audit")
@require_POST
def audit_verify(request: HttpRequest, account: Account) -> HttpResponse:
    """Reads the chain from end to end; that somebody did is an entry itself."""
    verdict = verify_chain(account.pk)
    detail = {"holds": verdict.holds, "entries": verdict.entries, "broken_at": verdict.broken_at}
    record_event(account, get_person(request), "audit.verified", account, detail=detail)
    context = {"account": account, "verdict": verdict}
    return render_page(
        request, "console/account/audit/verdict.html", "console/account/audit/_verdict.html", context
    )


@account_view("see_audit")
@require_POST
def audit_export(request: HttpRequest, account: Account) -> HttpResponseBase:
    """Every entry as it is hashed; a POST, because taking the log away is worth an entry too."""
    form = request.POST.get("format", "")
    if form not in FORMATS:
        raise Http404
    write, content_type = FORMATS[form]
    record_event(account, get_person(request), "audit.exported", account, detail={"format": form})
    name = f"audit-{datetime.now(UTC):%Y-%m-%d}.{form}"
    return build_attachment_response(Download(name, content_type, write(export_events(account.pk))))


def _as_lines(entries: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    for entry in entries:
        yield json.dumps(entry, ensure_ascii=False).encode() + b"\n"


COLUMNS = (
    "number at actor_kind actor actor_label action object_kind object_id project address request_id detail"
).split()


def _as_table(entries: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    yield write_csv_row([*COLUMNS, "previous", "hash"])
    for line in entries:
        entry = json.loads(line["entry"])
        detail = json.dumps(entry["detail"], ensure_ascii=False)
        cells = [detail if name == "detail" else entry[name] for name in COLUMNS]
        yield write_csv_row([*cells, line["previous"], line["hash"]])


Writer = Callable[[Iterator[dict[str, Any]]], Iterator[bytes]]
FORMATS: dict[str, tuple[Writer, str]] = {
    "jsonl": (_as_lines, "application/x-ndjson"),
    "csv": (_as_table, "text/csv; charset=utf-8"),
}


def _selects(account: Account, wanted: WantedEntries) -> list[Select]:
    projects = [(str(project.pk), project.name) for project in account.projects.order_by("name")]
    kinds = [(kind, str(label)) for kind, label in ACTOR_KINDS.items()]
    subjects = [(name, str(label)) for name, label in SUBJECTS.items()]
    return [
        Select("kind", _("Actor"), wanted.kind, [("", _("Anyone")), *kinds]),
        Select("subject", _("About"), wanted.subject, [("", _("About anything")), *subjects]),
        Select("project", _("Project"), wanted.project, [("", _("Any project")), *projects]),
        build_range_filter(wanted.range),
    ]
