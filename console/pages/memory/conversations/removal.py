"""Removing the memories that a conversation made, after their number was typed."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from console.pages.memory.conversations.conversation import opened_conversation
from console.pages.memory.memories.trash import undo_address
from console.pages.shell.access import MANY, access_of, person, project_view, refuse
from console.pages.shell.dialogs import Dialog, ask, done
from console.templatetags.console import num
from console.ui.selects import datetime_of
from memories.consolidation.versions import member_actor
from memories.lifecycle.erase import wait_for_work
from memories.lifecycle.trash import move_to_trash
from memories.models import Conversation
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.conversations import memories_of
from memories.settings.trash import TrashPolicies
from tenancy.audit.log import record_event
from tenancy.models import Project

SAMPLES = 5


@project_view("delete_memories")
@require_http_methods(["GET", "HEAD", "POST"])
def conversation_memories_delete(
    request: HttpRequest, project: Project, conversation_id: UUID
) -> HttpResponse:
    """Those that there were when the dialog was shown; what came later stays, and so do the messages."""
    opened = opened_conversation(project, conversation_id)
    cutoff = datetime_of(request.POST.get("cutoff", "")) or timezone.now()
    doomed = memories_of(project, opened.pk).filter(created_at__lte=cutoff)
    count = doomed.count()
    back = reverse("console:conversation", args=[project.pk, opened.pk])
    if count == 0:
        return done(request, _("There is nothing left to delete."), back, "memory-changed")
    if count > MANY and not access_of(request).may("delete_many_memories"):
        raise refuse("delete_many_memories")
    if request.method == "POST" and request.POST.get("typed", "").strip() == str(count):
        return _delete(request, project, opened, doomed, back)
    is_wrong = request.method == "POST"
    title = ngettext("Delete %(count)s memory?", "Delete %(count)s memories?", count)
    verb = ngettext("Delete %(count)s memory", "Delete %(count)s memories", count)
    dialog = Dialog(
        template="console/memory/conversations/_delete_dialog.html",
        title=title % {"count": num(count)},
        verb=verb % {"count": num(count)},
        action=reverse("console:conversation_memories_delete", args=[project.pk, opened.pk]),
        back=back,
        is_danger=True,
        typed=str(count),
        error=_("The number does not match.") if is_wrong else "",
    )
    context = {
        "samples": list(doomed.order_by("position", "pk").only("pk", "text")[:SAMPLES]),
        "rest": max(0, count - SAMPLES),
        "cutoff": cutoff.isoformat(),
        "days": TrashPolicies.of(project).days,
    }
    return ask(request, dialog, context, 422 if is_wrong else 200)


def _delete(
    request: HttpRequest, project: Project, opened: Conversation, doomed: MemoryQuerySet, back: str
) -> HttpResponse:
    actor = person(request)
    wait_for_work(project, doomed)
    gone = move_to_trash(project, doomed.order_by(), member_actor(actor))
    detail = {"count": gone.count, "restorable_until": gone.until.isoformat() if gone.until else None}
    record_event(project.account, actor, "memories.deleted", opened, project=project, detail=detail)
    said = ngettext("%(count)s memory deleted.", "%(count)s memories deleted.", gone.count)
    said = said % {"count": num(gone.count)}
    return done(request, said, back, "memory-changed", undo=undo_address(project, gone))
