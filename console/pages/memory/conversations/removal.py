"""Delete the memories that a conversation made, after their number was typed."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from console.pages.memory.bulk.choice import Figures
from console.pages.memory.bulk.order import answer_started, find_refusal
from console.pages.memory.conversations.conversation import get_conversation
from console.pages.shell.access import MANY, get_access, get_person, project_view, refuse_access
from console.pages.shell.dialogs import Dialog, answer_done, show_dialog
from console.templatetags.console import num
from console.ui.lists.selection import SAMPLES, parse_cutoff
from memories.lifecycle.bulk.orders import BulkOrder, start_job
from memories.retrieval.browse.conversations import list_conversation_memories
from memories.settings.trash import TrashPolicies
from memories.values import BulkAction
from tenancy.models import Project


@project_view("delete_memories")
@require_http_methods(["GET", "HEAD", "POST"])
def conversation_memories_delete(
    request: HttpRequest, project: Project, conversation_id: UUID
) -> HttpResponse:
    """Delete the memories that existed when the dialog was shown; later ones and the messages stay."""
    opened = get_conversation(project, conversation_id)
    cutoff = parse_cutoff(request.POST)
    chosen = list_conversation_memories(project, opened.pk).select_related(None)
    order = BulkOrder(BulkAction.DELETE, chosen, cutoff, {"conversation": str(opened.pk)})
    figures = Figures.of(order.memories)
    count = figures.total - figures.frozen
    back = reverse("console:conversation", args=[project.pk, opened.pk])
    if refusal := find_refusal(project, figures, count):
        return answer_done(request, refusal, back, "memory-changed")
    if count > MANY and not get_access(request).may("delete_many_memories"):
        raise refuse_access("delete_many_memories")
    if request.method == "POST" and request.POST.get("typed", "").strip() == str(count):
        return answer_started(request, project, start_job(project, order, get_person(request)), count)
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
        "samples": list(order.memories.order_by("position", "pk").only("pk", "text")[:SAMPLES]),
        "rest": max(0, count - SAMPLES),
        "cutoff": cutoff.isoformat(),
        "days": TrashPolicies.of(project).days,
    }
    return show_dialog(request, dialog, context, 422 if is_wrong else 200)
