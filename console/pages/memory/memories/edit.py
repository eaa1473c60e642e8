"""Editing a memory in its drawer, and restoring an earlier version of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.memory.memories.edit_form import MemoryForm, build_form, edit_hint, has_editable_text
from console.pages.memory.memories.gone import MemoryGone, noticing_deletion, show_gone
from console.pages.memory.memories.links import build_memory_url
from console.pages.memory.memories.memory import build_detail_context, build_view_url, find_memory
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import add_body_events, answer_done
from console.pages.shell.explain_codes import describe_failure
from console.pages.shell.rendering import render_page, wants_only_fragment
from console.ui.lists.query_values import parse_whole_number
from console.ui.texts.text_diff import compare_texts
from memories.lifecycle.edit import Amendment, amend_memory, embed_wording
from memories.models import Memory
from tenancy.errors import CatalogueError, Conflict, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

DETAIL, PAGE = "console/memory/memories/detail/_detail.html", "console/memory/memories/detail/edit.html"


@project_view("change_memories", is_scoped=False)
@require_http_methods(["GET", "HEAD", "POST"])
def memory_edit(request: HttpRequest, project: Project, memory_id: UUID) -> HttpResponse:
    """What was typed for a memory that was deleted meanwhile is shown, so that it is not lost."""
    try:
        return _edit(request, project, memory_id)
    except MemoryGone:
        if not wants_only_fragment(request):
            raise
        return show_gone(request, project, memory_id, request.POST.get("text", ""))


def _edit(request: HttpRequest, project: Project, memory_id: UUID) -> HttpResponse:
    """No transaction is open while the new text is embedded."""
    with tenant_scope(project):
        memory = find_memory(project, str(memory_id))
    form = build_form(memory, request.POST if request.method == "POST" else None)
    if request.method != "POST":
        if hint := edit_hint(memory):
            return _refuse_form(request, project, memory, hint)
        return _show_form(request, project, memory_id, form=form)
    if not form.is_valid():
        return _show_form(request, project, memory_id, form=form, status=422)
    wanted = form.build_amendment(memory)
    try:
        text = wanted.text if wanted.text != memory.text else None
        edited = amend_memory(project, wanted, embed_wording(text), get_person(request))
    except NotFound:  # deleted since it was read
        raise MemoryGone from None
    except Conflict as refusal:
        return _show_stale(request, project, memory_id, describe_failure(refusal))
    except CatalogueError as refusal:
        return _show_form(request, project, memory_id, form=form, status=422, error=describe_failure(refusal))
    message = _("Saved as version %(number)s.") % {"number": edited.version}
    return _confirm_saving(
        request, project, edited, message if edited.version != memory.version else _("Nothing changed.")
    )


@project_view("change_memories", is_scoped=False)
@require_POST
@noticing_deletion
def memory_restore_version(
    request: HttpRequest, project: Project, memory_id: UUID, number: int
) -> HttpResponse:
    """What an earlier version said becomes the newest version: value, title, and tags and info where it kept them."""
    with tenant_scope(project):
        memory = find_memory(project, str(memory_id))
        version = memory.versions.filter(number=number).first()
        back = build_memory_url(project, memory, open=memory.pk, view="history")
    if version is None or not has_editable_text(memory):
        raise Http404
    wanted = Amendment(
        memory_id=str(memory.pk),
        text=version.text,
        title=version.title,
        tags=None if version.tags is None else tuple(version.tags),
        info=version.info,
        seen=_read_seen_version(request),
        reason=f"restored version {number}",
    )
    try:
        text = version.text if version.text != memory.text else None
        restored = amend_memory(project, wanted, embed_wording(text), get_person(request))
    except CatalogueError as refusal:
        return refuse_move(request, describe_failure(refusal), back)
    message = _("Version %(old)s is restored as version %(number)s.") % {
        "old": number,
        "number": restored.version,
    }
    undo = reverse("console:memory_restore_version", args=[project.pk, memory.pk, memory.version])
    undo = f"{undo}?seen={restored.version}" if restored.version != memory.version else ""
    return answer_done(request, message, back, "memory-changed", "memory-moved", undo=undo)


def refuse_move(request: HttpRequest, message: str, back: str) -> HttpResponse:
    """Says why nothing was changed: in a toast, or on the page that the browser goes back to."""
    if not wants_only_fragment(request):
        messages.error(request, message)
        return HttpResponseRedirect(back)
    return add_body_events(HttpResponse(status=422), toast={"text": message, "kind": "bad"}, memory_moved={})


def _refuse_form(request: HttpRequest, project: Project, memory: Memory, hint: str) -> HttpResponse:
    """Show the memory in place of the form, and why it cannot be edited now."""
    with tenant_scope(project):
        if not wants_only_fragment(request):
            messages.error(request, hint)
            return HttpResponseRedirect(build_memory_url(project, memory, open=memory.pk))
        response = render_page(request, "", DETAIL, build_detail_context(request, project, memory))
    return add_body_events(response, toast={"text": hint, "kind": "bad"})


def _read_seen_version(request: HttpRequest) -> int:
    seen = request.POST.get("seen", request.GET.get("seen", ""))
    return parse_whole_number(seen, digits=7) or 0


def _show_form(
    request: HttpRequest,
    project: Project,
    memory_id: UUID,
    *,
    form: MemoryForm,
    status: int = 200,
    error: str = "",
    **context: Any,
) -> HttpResponse:
    """The form in the drawer; a page of its own for browsers without scripts."""
    with tenant_scope(project):
        opened = find_memory(project, str(memory_id))
        context = (
            build_detail_context(request, project, opened)
            | {
                "view": "edit",
                "form": form,
                "error": error,
                "project": project,
            }
            | context
        )
        return render_page(request, PAGE, DETAIL, context, status)


def _show_stale(request: HttpRequest, project: Project, memory_id: UUID, error: str) -> HttpResponse:
    """Both versions: what is saved by now, and what this member's text would change in it."""
    with tenant_scope(project):
        saved = find_memory(project, str(memory_id))
    sent = request.POST.copy()
    sent["seen"] = str(saved.version)
    form = build_form(saved, sent)
    form.is_valid()
    text = form.cleaned_data.get("text", saved.text)
    pieces = compare_texts(saved.text, text) if text != saved.text else []
    return _show_form(
        request, project, memory_id, form=form, status=409, error=error, saved=saved, pieces=pieces
    )


def _confirm_saving(request: HttpRequest, project: Project, edited: Memory, message: str) -> HttpResponse:
    with tenant_scope(project):
        opened = find_memory(project, str(edited.pk))
        if not wants_only_fragment(request):
            messages.success(request, message)
            return HttpResponseRedirect(build_memory_url(project, opened, open=opened.pk))
        response = render_page(request, "", DETAIL, build_detail_context(request, project, opened))
        response["HX-Push-Url"] = build_view_url(request, project, opened, "content")
    return add_body_events(response, toast={"text": message}, memory_changed={})
