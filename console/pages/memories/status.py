"""Freezing, archiving and restoring one memory."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.pages.memories.memory import find_memory, page_of_memory
from console.pages.memories.moves import MOVES
from console.pages.shell.access import person, project_view
from console.pages.shell.dialogs import Dialog, ask, done
from console.pages.shell.explain_codes import in_words
from memories.consolidation.versions import member_actor
from memories.lifecycle.states import set_status
from memories.models import Memory
from tenancy.audit.log import record_event
from tenancy.errors import CatalogueError
from tenancy.models import Project


@project_view("change_memories")
@require_http_methods(["GET", "HEAD", "POST"])
def memory_status(request: HttpRequest, project: Project, memory_id: UUID, move: str) -> HttpResponse:
    if move not in MOVES:
        raise Http404
    memory, chosen = find_memory(project, str(memory_id)), MOVES[move]
    error = ""
    if request.method == "POST":
        try:
            set_status(project, memory.pk, chosen.ends, member_actor(person(request)))
        except CatalogueError as failure:
            error = in_words(failure)
        else:
            return _moved(request, project, memory, move)
    context = {"project": project, "memory": memory, "text": chosen.text, "error": error}
    return ask(request, _dialog(project, memory, move), context, 422 if error else 200)


def _moved(request: HttpRequest, project: Project, memory: Memory, move: str) -> HttpResponse:
    record_event(project.account, person(request), f"memory.{move}", memory, project=project)
    return done(request, str(MOVES[move].said), _back(project, memory), "memory-changed", "memory-moved")


def _dialog(project: Project, memory: Memory, move: str) -> Dialog:
    return Dialog(
        template="console/memories/_status_dialog.html",
        title=str(MOVES[move].title),
        verb=str(MOVES[move].verb),
        action=reverse("console:memory_status", args=[project.pk, memory.pk, move]),
        back=_back(project, memory),
    )


def _back(project: Project, memory: Memory) -> str:
    return page_of_memory(project, memory, open=memory.pk)
