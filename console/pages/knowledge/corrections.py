"""Add a correction to a knowledge base, and revert one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.knowledge.base import show_tab
from console.pages.knowledge.base_context import build_base_url, change_context, find_base
from console.pages.knowledge.correction_rows import build_correction_rows
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, add_body_events, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page, wants_only_fragment
from knowledgebase.corrections.corrections import list_corrections, submit_correction
from knowledgebase.corrections.revert import revert_correction
from knowledgebase.models import Correction, KnowledgeBase
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

LONGEST_WORDS = 2_000


@project_view("change_bases", is_scoped=False)
@require_POST
def knowledge_tell(request: HttpRequest, project: Project, base_id: str) -> HttpResponse:
    """The worker finds what the words put right; the list shows it when it is done."""
    base = find_base(project, base_id)
    words = request.POST.get("words", "").replace("\0", "").strip()
    error = "" if words else _("Enter what changed.")
    if len(words) > LONGEST_WORDS:
        error = _("At most %(most)s characters.") % {"most": LONGEST_WORDS}
    if not error:
        try:
            with transaction.atomic():
                submit_correction(project, base, words, get_person(request))
                record_event(
                    project.account, get_person(request), "knowledge_base.told", base, project=project
                )
        except CatalogueError as refusal:
            error = describe_failure(refusal)
    if error:
        return _render_form(request, project, base, {"statement": words, "tell_error": error}, 422)
    message = _("Correction saved. Applying…")
    if not wants_only_fragment(request):
        return answer_done(request, message, build_base_url(project, base, "corrections"))
    shown = _render_form(request, project, base, {})
    return add_body_events(shown, correction_changed={}, toast={"text": message})


@project_view("change_bases", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def knowledge_revert(
    request: HttpRequest, project: Project, base_id: str, correction_id: UUID
) -> HttpResponse:
    base = find_base(project, base_id)
    correction = _get_correction(project, base, correction_id)
    error = ""
    if request.method == "POST":
        try:
            revert_correction(project, correction, get_person(request))
        except CatalogueError as refusal:
            error = describe_failure(refusal)
        else:
            message = _("Reverted. Searches get the earlier wording again.")
            return answer_done(
                request, message, build_base_url(project, base, "corrections"), "correction-changed"
            )
    dialog = Dialog(
        template="console/knowledge/dialogs/_revert_dialog.html",
        title=_("Revert this correction?"),
        verb=_("Revert correction"),
        action=reverse("console:knowledge_revert", args=[project.pk, base.public_id, correction.pk]),
        back=build_base_url(project, base, "corrections"),
    )
    with tenant_scope(project):
        (shown,) = build_correction_rows(project, [correction])
    return show_dialog(request, dialog, {"pieces": shown.pieces, "error": error}, 422 if error else 200)


def _get_correction(project: Project, base: KnowledgeBase, correction_id: UUID) -> Correction:
    """404 for another base's, and for one that is reverted already."""
    with tenant_scope(project):
        correction: Correction | None = (
            list_corrections(base).filter(pk=correction_id, reverted_at=None).first()
        )
    if correction is None:
        raise Http404
    return correction


def _render_form(
    request: HttpRequest, project: Project, base: KnowledgeBase, more: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The form alone, or the whole tab for a browser without scripts."""
    if not wants_only_fragment(request):
        return show_tab(request, project, base, shown_tab="corrections", more=more, status=status)
    context = {"project": project, "base": base, **change_context(request), **more}
    return render_page(request, "", "console/knowledge/corrections/_tell.html", context, status)
