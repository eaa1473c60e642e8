"""A memory that was deleted, perhaps in another tab, while its drawer is open."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from console.pages.shell.dialogs import add_body_events
from console.pages.shell.rendering import render_page, wants_only_fragment
from memories.lifecycle.trash import select_trashed_memories
from memories.models.trash_visibility import seeing_trash
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

GONE = gettext_lazy("This memory is no longer there.")
PANEL = "console/memory/memories/detail/_gone.html"


class MemoryGone(Http404):
    """The project holds no memory of this id, outside its trash."""


def show_gone(request: HttpRequest, project: Project, memory_id: UUID, text: str = "") -> HttpResponse:
    """What the drawer shows in its place: where the memory is now, and the text that could not be saved.

    The list beside it still shows the memory, and is read anew.
    """
    with tenant_scope(project), seeing_trash():
        trashed = select_trashed_memories(project).filter(pk=memory_id).only("pk", "purge_at").first()
    context = {"project": project, "memory_id": memory_id, "trashed": trashed, "text": text, "gone": GONE}
    return add_body_events(render_page(request, "", PANEL, context, status=409), memory_changed={})


def noticing_deletion(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """An action on a deleted memory changes nothing and says why; the drawer and the list are read anew."""

    @wraps(view)
    def noticing(request: HttpRequest, project: Project, **arguments: Any) -> HttpResponse:
        try:
            return view(request, project, **arguments)
        except MemoryGone:
            if not wants_only_fragment(request):
                raise
        response = HttpResponse(status=409, headers={"HX-Reswap": "none"})
        toast = {"text": str(GONE), "kind": "bad"}
        return add_body_events(response, toast=toast, dialog_done={}, memory_changed={}, memory_moved={})

    return noticing
