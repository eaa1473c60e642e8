"""One conversation: its messages, each beside the memories that were made of it."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.memory.conversations.transcript import build_turns
from console.pages.memory.memories.memory import build_deletion_context
from console.pages.memory.users.user import build_reextraction_context
from console.pages.shell.access import format_roles_for, get_access, project_view
from console.pages.shell.rendering import render_page
from console.templatetags.console import num
from console.ui.lists.query_values import parse_whole_number
from memories.models import Conversation
from memories.retrieval.browse.conversations import (
    COUNTED_IN_LIST,
    MESSAGES,
    count_memories,
    find_conversation,
    get_page_start,
    list_messages_from,
    load_conversation_labels,
    load_files_by_message,
    load_memories_by_message,
)
from memories.values import OwnerKind
from tenancy.models import Project

# Of whose conversations the API takes feedback, and the field of its body that names them.
NAMED_BY = {OwnerKind.END_USER: "user_id", OwnerKind.AGENT: "agent_id"}


@project_view("see")
@require_safe
def conversation(request: HttpRequest, project: Project, conversation_id: UUID) -> HttpResponse:
    opened = get_conversation(project, conversation_id)
    start = get_page_start(parse_whole_number(request.GET.get("from", ""), digits=8) or 0)
    messages = list_messages_from(project, opened, start)
    memories = load_memories_by_message(project, messages)
    context = {
        "project": project,
        "opened": opened,
        "labels": load_conversation_labels(project, [opened.pk])[opened.pk],
        "made": count_memories(project, [opened.pk]).get(opened.pk, 0),
        "most": COUNTED_IN_LIST,
        "turns": build_turns(messages, memories, load_files_by_message(project, messages)),
        "here": reverse("console:conversation", args=[project.pk, opened.pk])
        + (f"?from={start}" if start else ""),
        **_build_page_urls(project, opened, start, len(messages)),
        "may_read": get_access(request).may("read_words"),
        **build_reextraction_context(request),
        **build_deletion_context(request),
        "takes_feedback": opened.cube.owner_kind in NAMED_BY,
        "may_change": get_access(request).may("change_memories"),
        "change_hint": _("Only %(roles)s can change memories.")
        % {"roles": format_roles_for("change_memories")},
    }
    return render_page(
        request,
        "console/memory/conversations/conversation.html",
        "console/memory/conversations/_conversation.html",
        context,
    )


def get_conversation(project: Project, key: UUID) -> Conversation:
    """The conversation of the address; another project's is 404."""
    conversation = find_conversation(project, key)
    if conversation is None:
        raise Http404
    return conversation


def _build_page_urls(project: Project, opened: Conversation, start: int, count: int) -> dict[str, str]:
    """Return where the pages before and after this one are; "" where there is none."""
    address = reverse("console:conversation", args=[project.pk, opened.pk])
    after = start + MESSAGES
    before = f"?from={start - MESSAGES}" if start > MESSAGES else ""
    shown = {"first": num(start + 1), "last": num(start + count), "all": num(opened.message_count)}
    return {
        "earlier_url": address + before if start else "",
        "later_url": f"{address}?from={after}" if opened.message_count > after else "",
        "caption": _("Messages %(first)s to %(last)s of %(all)s") % shown if count else "",
    }
