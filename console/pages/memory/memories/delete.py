"""Deleting memories from the console: one, the chosen ones, or all that match a filter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.memory.memories.memories import WantedMemories
from console.pages.memory.memories.memory import find_memory, page_of_memory
from console.pages.memory.memories.trash import undo_address
from console.pages.shell.access import MANY, access_of, person, project_view, refuse
from console.pages.shell.dialogs import Dialog, ask, done
from console.templatetags.console import num
from console.ui.selects import datetime_of, uuids_of
from knowledgebase.removal.delete_memory import delete_memory
from memories.consolidation.versions import member_actor
from memories.lifecycle.erase import wait_for_work
from memories.lifecycle.trash import move_to_trash
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.listing import matching_memories
from memories.settings.trash import TrashPolicies
from memories.values import OwnerKind
from tenancy.audit.log import record_event
from tenancy.models import Project

SAMPLES = 5
# From here on the count must be typed.
TYPED_ABOVE = 100


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to go. `cutoff` is when the member saw it: what comes later stays."""

    ids: list[str]
    everything: bool
    filter: str
    cutoff: datetime

    @classmethod
    def of(cls, asked: QueryDict) -> Choice:
        return cls(
            ids=asked.getlist("ids"),
            everything=asked.get("everything") == "yes",
            filter=asked.get("filter", ""),
            cutoff=datetime_of(asked.get("cutoff", "")) or timezone.now(),
        )

    def memories(self, project: Project) -> MemoryQuerySet:
        if self.everything:
            wanted = WantedMemories.of(QueryDict(self.filter)).shelf()
            return matching_memories(project, wanted).filter(created_at__lte=self.cutoff)
        held = Memory.objects.within(MemCube.objects.within(project))
        return held.filter(pk__in=uuids_of(self.ids))


@project_view("delete_memories")
@require_http_methods(["GET", "HEAD", "POST"])
def memory_delete(request: HttpRequest, project: Project, memory_id: UUID) -> HttpResponse:
    doomed = find_memory(project, str(memory_id))
    is_shared = doomed.cube.owner_kind == OwnerKind.KNOWLEDGE_BASE
    if request.method == "POST" and is_shared:
        return _delete_shared(request, project, doomed)
    if request.method == "POST":
        return _delete(request, project, Memory.objects.within(doomed.cube_id).filter(pk=doomed.pk))
    action = reverse("console:memory_delete", args=[project.pk, memory_id])
    dialog = replace(_dialog(project, action, 1), back=page_of_memory(project, doomed, open=doomed.pk))
    context = {"count": 1, "samples": [doomed], "is_shared": is_shared} | _trash_context(project)
    return ask(request, dialog, context)


@project_view("delete_memories")
@require_POST
def memories_delete(request: HttpRequest, project: Project) -> HttpResponse:
    """First the question with its count and samples; with `confirmed` the deed."""
    choice = Choice.of(request.POST)
    doomed = choice.memories(project)
    count = doomed.count()
    if count == 0:
        back = reverse("console:memories", args=[project.pk])
        return done(request, _("There is nothing left to delete."), back, "memory-changed", "selection-spent")
    if count > MANY and not access_of(request).may("delete_many_memories"):
        raise refuse("delete_many_memories")
    is_typed = request.POST.get("typed", "").strip() == str(count)
    is_confirmed = request.POST.get("confirmed") == "yes"
    if is_confirmed and (is_typed or count <= TYPED_ABOVE):
        return _delete(request, project, doomed)
    return _ask_for_many(request, project, choice, doomed, count, is_confirmed)


def _ask_for_many(
    request: HttpRequest, project: Project, choice: Choice, doomed: MemoryQuerySet, count: int, is_wrong: bool
) -> HttpResponse:
    action = reverse("console:memories_delete", args=[project.pk])
    dialog = _dialog(project, action, count, _("The number does not match.") if is_wrong else "")
    context = _trash_context(project) | {
        "count": count,
        "samples": list(doomed[:SAMPLES]),
        "rest": max(0, count - SAMPLES),
        "ids": [] if choice.everything else choice.ids,
        "everything": choice.everything,
        "filter": choice.filter,
        "cutoff": choice.cutoff.isoformat(),
    }
    return ask(request, dialog, context, 422 if is_wrong else 200)


def _trash_context(project: Project) -> dict[str, object]:
    return {"project": project, "days": TrashPolicies.of(project).days}


def _dialog(project: Project, action: str, count: int, error: str = "") -> Dialog:
    title = ngettext("Delete %(count)s memory?", "Delete %(count)s memories?", count)
    verb = ngettext("Delete %(count)s memory", "Delete %(count)s memories", count)
    return Dialog(
        template="console/memory/memories/dialogs/_delete_dialog.html",
        title=title % {"count": num(count)},
        verb=verb % {"count": num(count)},
        action=action,
        back=reverse("console:memories", args=[project.pk]),
        is_danger=True,
        typed=str(count) if count > TYPED_ABOVE else "",
        error=error,
    )


def _delete(request: HttpRequest, project: Project, doomed: MemoryQuerySet) -> HttpResponse:
    actor = person(request)
    wait_for_work(project, doomed)
    gone = move_to_trash(project, doomed.order_by(), member_actor(actor))
    detail = {"count": gone.count, "restorable_until": gone.until.isoformat() if gone.until else None}
    record_event(project.account, actor, "memories.deleted", project, project=project, detail=detail)
    said = ngettext("%(count)s memory deleted.", "%(count)s memories deleted.", gone.count)
    back = reverse("console:memories", args=[project.pk])
    events = ("memory-changed", "drawer-done", "selection-spent")
    return done(request, said % {"count": num(gone.count)}, back, *events, undo=undo_address(project, gone))


def _delete_shared(request: HttpRequest, project: Project, doomed: Memory) -> HttpResponse:
    """A memory of a knowledge base, which every linked project loses."""
    delete_memory(project, doomed)
    record_event(
        project.account, person(request), "memories.deleted", doomed, project=project, detail={"count": 1}
    )
    said = ngettext("%(count)s memory deleted.", "%(count)s memories deleted.", 1) % {"count": num(1)}
    return done(request, said, page_of_memory(project, doomed), "memory-changed", "drawer-done")
