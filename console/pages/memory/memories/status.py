"""Freezing, archiving and restoring one memory: done at once, with a way back."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.pages.memory.memories.edit import refuse_move
from console.pages.memory.memories.gone import noticing_deletion
from console.pages.memory.memories.links import build_memory_url
from console.pages.memory.memories.memory import find_memory
from console.pages.memory.memories.status_actions import MOVES
from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.pages.shell.explain_codes import describe_failure
from memories.consolidation.versions import build_member_actor
from memories.lifecycle.states import set_status
from memories.models import Memory
from memories.values import MemoryStatus
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.models import Project

# What takes each move back.
OPPOSITES = {"freeze": "unfreeze", "unfreeze": "freeze", "archive": "restore", "restore": "archive"}


@project_view("change_memories")
@require_http_methods(["GET", "HEAD", "POST"])
@noticing_deletion
def memory_status(request: HttpRequest, project: Project, memory_id: UUID, move: str) -> HttpResponse:
    """A post does it; a visit to the address asks first."""
    if move not in MOVES:
        raise Http404
    memory, chosen = find_memory(project, str(memory_id)), MOVES[move]
    if request.method != "POST":
        context = {"project": project, "memory": memory, "text": chosen.text}
        return show_dialog(request, _build_dialog(project, memory, move), context)
    replaced = memory.supersedes.count()
    try:
        set_status(project, memory.pk, chosen.ends, build_member_actor(get_person(request)))
    except CatalogueError as refusal:
        return refuse_move(request, describe_failure(refusal), _build_back_url(project, memory))
    record_event(project.account, get_person(request), f"memory.{move}", memory, project=project)
    is_reversible = memory.supersedes.count() == replaced and memory.status != MemoryStatus.EXPIRED
    undo = _build_status_url(project, memory, OPPOSITES[move]) if is_reversible else ""
    events = ("memory-changed", "memory-moved")
    return answer_done(request, str(chosen.message), _build_back_url(project, memory), *events, undo=undo)


def _build_dialog(project: Project, memory: Memory, move: str) -> Dialog:
    return Dialog(
        template="console/memory/memories/dialogs/_status_dialog.html",
        title=str(MOVES[move].title),
        verb=str(MOVES[move].verb),
        action=_build_status_url(project, memory, move),
        back=_build_back_url(project, memory),
    )


def _build_status_url(project: Project, memory: Memory, move: str) -> str:
    return reverse("console:memory_status", args=[project.pk, memory.pk, move])


def _build_back_url(project: Project, memory: Memory) -> str:
    return build_memory_url(project, memory, open=memory.pk)
