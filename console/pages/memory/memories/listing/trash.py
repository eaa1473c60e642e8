"""The trash: memories that were deleted and can still be restored, or purged before their time."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from console.pages.shell.access import format_roles_for, get_access, get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.rendering import render_page
from console.templatetags.console import num
from console.ui.lists.paging import load_page
from console.ui.lists.query_values import parse_utc_datetime, parse_uuids
from console.ui.lists.selection import SAMPLES, Selection
from memories.consolidation.versions import build_member_actor
from memories.lifecycle.trash import (
    Discarded,
    Restored,
    purge_memories,
    restore_memories,
    select_trashed_memories,
)
from memories.models.memory import MemoryQuerySet
from memories.models.trash_visibility import seeing_trash
from memories.settings.trash import TrashPolicies
from tenancy.audit.log import record_event
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

HEAVY = ("embedding", "words", "words_vector")


@project_view("see")
@require_safe
def memories_trash(request: HttpRequest, project: Project) -> HttpResponse:
    access = get_access(request)
    with seeing_trash():
        rows = select_trashed_memories(project).select_related("cube").defer(*HEAVY)
        page = load_page(request, rows, by="updated_at")
        total = select_trashed_memories(project).count()
    context = {
        "project": project,
        "memories": page.rows,
        "total": total,
        "caption": _("%(count)s in the trash, most recently deleted first") % {"count": num(total)},
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "cutoff": timezone.now().isoformat(),
        "days": TrashPolicies.of(project).days,
        "may_restore": access.may("change_memories"),
        "may_purge": access.may("purge_memories"),
        "restore_hint": _("Only %(roles)s can restore memories.")
        % {"roles": format_roles_for("change_memories")},
        "purge_hint": _("Only %(roles)s can purge memories.") % {"roles": format_roles_for("purge_memories")},
    }
    return render_page(
        request,
        "console/memory/memories/trash/trash.html",
        "console/memory/memories/trash/_trash.html",
        context,
    )


@project_view("change_memories", is_scoped=False)
@require_POST
def trash_restore(request: HttpRequest, project: Project) -> HttpResponse:
    """The chosen ones; with `until` in the address all that one action moved to the trash, to undo it."""
    restored = _restore_batches(request, project)
    back = reverse("console:memories_trash", args=[project.pk])
    return answer_done(request, _describe_restored(restored), back, "memory-changed", "selection-spent")


def _restore_batches(request: HttpRequest, project: Project) -> Restored:
    """Batch by batch; when one fails, what those before it brought back is written down all the same."""
    actor, restored = get_person(request), Restored()
    try:
        for batch in restore_memories(project, _select_chosen(request, project), build_member_actor(actor)):
            restored.add(batch)
    finally:
        if restored.back:
            detail = {"count": len(restored.back), "held": len(restored.held)}
            record_event(project.account, actor, "memories.restored", project, project=project, detail=detail)
    return restored


@project_view("purge_memories", is_scoped=False)
@require_POST
def trash_purge(request: HttpRequest, project: Project) -> HttpResponse:
    """First the question with its count and samples; when the count was typed, the action."""
    doomed = _select_chosen(request, project)
    with tenant_scope(project), seeing_trash():
        count = doomed.count()
        if count and request.POST.get("typed", "").strip() != str(count):
            return _ask_confirmation(request, project, list(doomed.defer(*HEAVY)[:SAMPLES]), count)
    if not count:
        return _confirm_purge(request, project, _("None of these are in the trash any more."))
    gone = _purge_batches(request, project, doomed)
    message = ngettext("%(count)s memory purged.", "%(count)s memories purged.", gone)
    return _confirm_purge(request, project, message % {"count": num(gone)})


def _purge_batches(request: HttpRequest, project: Project, doomed: MemoryQuerySet) -> int:
    """As `_restore_batches`: what is gone is written down, whatever comes after it."""
    gone = 0
    try:
        for batch in purge_memories(project, doomed):
            gone += batch
    finally:
        if gone:
            actor, detail = get_person(request), {"count": gone}
            record_event(project.account, actor, "memories.purged", project, project=project, detail=detail)
    return gone


def undo_address(project: Project, gone: Discarded) -> str:
    """The address at which a POST restores all that this action moved to the trash; "" where nothing can be."""
    if gone.until is None:
        return ""
    address = reverse("console:trash_restore", args=[project.pk])
    return f"{address}?{urlencode({'until': gone.until.isoformat()})}"


def _select_chosen(request: HttpRequest, project: Project) -> MemoryQuerySet:
    """Select memories of the trash that were deleted together, by their time of purging; or the ticked ones, or all
    listed."""
    if until := parse_utc_datetime(request.GET.get("until", "")):
        return select_trashed_memories(project).filter(purge_at=until)
    trashed, selection = select_trashed_memories(project), Selection.of(request.POST)
    if only := request.POST.get("only", ""):  # the button of a row, whatever is selected beside it
        return trashed.filter(pk__in=parse_uuids([only]))
    if selection.everything:
        return trashed.filter(updated_at__lte=selection.cutoff).exclude(pk__in=selection.excluded)
    return trashed.filter(pk__in=parse_uuids(selection.ids))


def _describe_restored(restored: Restored) -> str:
    count = len(restored.back)
    sentences = [
        ngettext("%(count)s memory restored.", "%(count)s memories restored.", count) % {"count": num(count)}
    ]
    if held := len(restored.held):
        why = ngettext(
            "%(count)s stays in the trash: another memory says the same now.",
            "%(count)s stay in the trash: other memories say the same now.",
            held,
        )
        sentences.append(why % {"count": num(held)})
    return " ".join(sentences)


def _confirm_purge(request: HttpRequest, project: Project, message: str) -> HttpResponse:
    back = reverse("console:memories_trash", args=[project.pk])
    return answer_done(request, message, back, "memory-changed", "selection-spent")


def _ask_confirmation(request: HttpRequest, project: Project, samples: list[Any], count: int) -> HttpResponse:
    is_wrong = bool(request.POST.get("typed", "").strip())
    title = ngettext("Purge %(count)s memory?", "Purge %(count)s memories?", count) % {"count": num(count)}
    verb = ngettext("Purge %(count)s memory", "Purge %(count)s memories", count) % {"count": num(count)}
    dialog = Dialog(
        template="console/memory/memories/dialogs/_purge_dialog.html",
        title=title,
        verb=verb,
        action=reverse("console:trash_purge", args=[project.pk]),
        back=reverse("console:memories_trash", args=[project.pk]),
        is_danger=True,
        typed=str(count),
        error=_("The number does not match.") if is_wrong else "",
    )
    selection = Selection.of(request.POST)
    context = {
        "project": project,
        "count": count,
        "samples": samples,
        "rest": max(0, count - SAMPLES),
        "ids": selection.ids,
        "only": request.POST.get("only", ""),
        "everything": selection.everything,
        "excluded": selection.excluded,
        "cutoff": selection.cutoff.isoformat(),
    }
    return show_dialog(request, dialog, context, 422 if is_wrong else 200)
