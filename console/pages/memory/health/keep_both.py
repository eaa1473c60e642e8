"""Keep two memories that look like repeats or contradictions: the pair is not shown again."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.pages.shell.access import get_person, project_view
from console.pages.shell.dialogs import answer_done
from memories.models import KeptPair, MemCube, Memory
from memories.retrieval.browse.health import join_content_hashes
from tenancy.audit.log import record_event
from tenancy.models import Project


@project_view("change_memories")
@require_POST
def health_keep(request: HttpRequest, project: Project, memory_id: UUID, other_id: UUID) -> HttpResponse:
    """Mark a pair as reviewed, until one of the two changes."""
    memory, other = _get_pair(project, memory_id, other_id)
    KeptPair.objects.within(project).update_or_create(
        memory=memory,
        other=other,
        defaults={"texts": join_content_hashes(bytes(memory.content_hash), bytes(other.content_hash))},
        create_defaults={
            "account_id": project.account_id,
            "project": project,
            "memory": memory,
            "other": other,
            "texts": join_content_hashes(bytes(memory.content_hash), bytes(other.content_hash)),
            "created_by": get_person(request),
        },
    )
    record_event(project.account, get_person(request), "memory.pair_kept", memory, project=project)
    undo = reverse("console:health_unkeep", args=[project.pk, memory_id, other_id])
    return answer_done(
        request, _("Both memories are kept."), _build_back_url(project), "memory-changed", undo=undo
    )


@project_view("change_memories")
@require_POST
def health_unkeep(request: HttpRequest, project: Project, memory_id: UUID, other_id: UUID) -> HttpResponse:
    memory, other = _get_pair(project, memory_id, other_id)
    KeptPair.objects.within(project).filter(memory=memory, other=other).delete()
    record_event(project.account, get_person(request), "memory.pair_unkept", memory, project=project)
    return answer_done(request, _("The pair is listed again."), _build_back_url(project), "memory-changed")


def _get_pair(project: Project, memory_id: UUID, other_id: UUID) -> tuple[Memory, Memory]:
    """Load both memories in a fixed order, however they are named."""
    mine = Memory.objects.within(MemCube.objects.within(project))
    memories = list(mine.filter(pk__in=[memory_id, other_id]).defer("embedding", "words").order_by("pk"))
    if len(memories) != 2:
        raise Http404
    return memories[0], memories[1]


def _build_back_url(project: Project) -> str:
    return reverse("console:health", args=[project.pk])
