"""Deleting one memory from the console, with a way back; many are deleted by a job (`console/pages/memory/bulk/`)."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from console.pages.memory.memories.gone import noticing_deletion
from console.pages.memory.memories.links import build_memory_url
from console.pages.memory.memories.listing.trash import undo_address
from console.pages.memory.memories.memory import find_memory
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.templatetags.console import num
from knowledgebase.removal.delete_memory import delete_memory
from memories.consolidation.cube_locks import hold_cubes
from memories.consolidation.versions import build_member_actor
from memories.lifecycle.erase import wait_for_work
from memories.lifecycle.trash import get_days_in_trash, move_to_trash
from memories.models import Memory
from memories.models.memory import MemoryQuerySet
from memories.values import OwnerKind
from tenancy.audit.log import record_event
from tenancy.models import Project


@project_view("delete_memories")
@require_http_methods(["GET", "HEAD", "POST"])
@noticing_deletion
def memory_delete(request: HttpRequest, project: Project, memory_id: UUID) -> HttpResponse:
    doomed = find_memory(project, str(memory_id))
    is_shared = doomed.cube.owner_kind == OwnerKind.KNOWLEDGE_BASE
    if request.method == "POST" and is_shared:
        return _delete_shared(request, project, doomed)
    if request.method == "POST":
        return _delete_memories(request, project, Memory.objects.within(doomed.cube_id).filter(pk=doomed.pk))
    action = reverse("console:memory_delete", args=[project.pk, memory_id])
    dialog = _build_dialog(action, build_memory_url(project, doomed, open=doomed.pk))
    context = {"samples": [doomed], "is_shared": is_shared, "days": get_days_in_trash(project, doomed)}
    return show_dialog(request, dialog, context)


def _build_dialog(action: str, back: str) -> Dialog:
    title = ngettext("Delete %(count)s memory?", "Delete %(count)s memories?", 1)
    verb = ngettext("Delete %(count)s memory", "Delete %(count)s memories", 1)
    return Dialog(
        template="console/memory/memories/dialogs/_delete_dialog.html",
        title=title % {"count": num(1)},
        verb=verb % {"count": num(1)},
        action=action,
        back=back,
        is_danger=True,
    )


def _delete_memories(request: HttpRequest, project: Project, doomed: MemoryQuerySet) -> HttpResponse:
    actor = get_person(request)
    wait_for_work(project, doomed)
    hold_cubes(doomed)
    gone = move_to_trash(project, doomed.order_by(), build_member_actor(actor))
    detail = {"count": gone.count, "restorable_until": gone.until.isoformat() if gone.until else None}
    record_event(project.account, actor, "memories.deleted", project, project=project, detail=detail)
    message = ngettext("%(count)s memory deleted.", "%(count)s memories deleted.", gone.count)
    back = reverse("console:memories", args=[project.pk])
    events = ("memory-changed", "drawer-done", "selection-spent")
    return answer_done(
        request, message % {"count": num(gone.count)}, back, *events, undo=undo_address(project, gone)
    )


def _delete_shared(request: HttpRequest, project: Project, doomed: Memory) -> HttpResponse:
    """A memory of a knowledge base, which every linked project loses."""
    delete_memory(project, doomed)
    record_event(
        project.account, get_person(request), "memories.deleted", doomed, project=project, detail={"count": 1}
    )
    message = ngettext("%(count)s memory deleted.", "%(count)s memories deleted.", 1) % {"count": num(1)}
    return answer_done(request, message, build_memory_url(project, doomed), "memory-changed", "drawer-done")
