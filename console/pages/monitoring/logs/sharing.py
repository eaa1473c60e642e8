"""One request without texts and subjects: for members, and by a public link for anyone."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.pages.monitoring.logs.trace_words import describe_stage
from console.pages.shell.access import get_person, project_view, refuse_access
from console.pages.shell.dialogs import redirect_with_message
from console.pages.shell.explain_codes import explain_status
from console.pages.shell.rendering import show_page
from console.ui.waterfall import build_stages
from tenancy.models import Project, RequestLog
from tenancy.projects.log_sharing import allows_links, find_shared_request, revoke_share, share_request


@project_view("share_request")
@require_POST
def log_share(request: HttpRequest, project: Project, request_id: str) -> HttpResponse:
    entry = _get_entry(project, request_id)
    if not allows_links(project):
        raise refuse_access("allow_public_links")
    share_request(project, entry, get_person(request))
    return redirect_with_message(
        request, _("Link created. It works for seven days."), _get_request_url(project, request_id)
    )


@project_view("share_request")
@require_POST
def log_share_revoke(request: HttpRequest, project: Project, request_id: str) -> HttpResponse:
    revoke_share(project, _get_entry(project, request_id), get_person(request))
    return redirect_with_message(request, _("Link revoked."), _get_request_url(project, request_id))


@project_view("see")
@require_safe
def log_redacted(request: HttpRequest, project: Project, request_id: str) -> HttpResponse:
    """Show members the public page of an entry, to be sent to other members."""
    context = _redact_entry(_get_entry(project, request_id)) | {"project": project}
    return show_page(request, "console/monitoring/logs/redacted.html", context)


@require_safe
def log_shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show an entry to anyone who has its link, signed in or not; an unknown token is a 404."""
    shared = find_shared_request(token)
    if shared is None:
        raise Http404
    context = _redact_entry(shared.entry) | {"expires_at": shared.expires_at}
    response = render(request, "console/monitoring/logs/shared.html", context)
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response


def _get_entry(project: Project, request_id: str) -> RequestLog:
    entries = RequestLog.objects.within(project).defer("request_body", "response_body")
    entry: RequestLog | None = entries.filter(request_id=request_id).first()
    if entry is None:
        raise Http404
    return entry


def _redact_entry(entry: RequestLog) -> dict[str, Any]:
    """Notes of stages may name models, scores and faults: only their titles and times are shown."""
    entry.response_body = entry.request_body = entry.subject_id = ""  # nothing below reads them anew
    entry.subjects = []
    return {
        "entry": entry,
        "stages": build_stages(entry.trace, entry.milliseconds, lambda stage: (describe_stage(stage)[0], "")),
        "explained": explain_status(entry) if entry.code != 0 else None,
    }


def _get_request_url(project: Project, request_id: str) -> str:
    return f"{reverse('console:log', args=[project.pk, request_id])}#share"
