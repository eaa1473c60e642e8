"""The list of conversations: filters, pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.shell.access import project_view
from console.pages.shell.rendering import render_page
from console.templatetags.console import about
from console.ui.lists.paging import load_page
from console.ui.lists.query_filters import FilterReader
from console.ui.lists.query_values import RANGES, build_range_filter
from console.ui.texts.snippets import render_snippet
from memories.retrieval.browse.bounded_count import count_up_to
from memories.retrieval.browse.conversations import (
    COUNTED_IN_LIST,
    ConversationLabels,
    ConversationQuery,
    count_memories,
    find_conversations,
    load_conversation_labels,
)
from tenancy.models import Project

MAX_ID = 100


@project_view("see")
@require_safe
def conversations(request: HttpRequest, project: Project) -> HttpResponse:
    fields = FilterReader(request.GET)
    titles = {"q": _("Words"), "user": _("End user"), "agent": _("Agent"), "app": _("App")}
    asked = {name: fields.words(name, MAX_ID, title) for name, title in titles.items()}
    within = fields.choice("range", RANGES, _("Time"))
    wanted = ConversationQuery(
        words=asked["q"],
        user_id=asked["user"],
        agent_id=asked["agent"],
        app_id=asked["app"],
        since=timezone.now() - RANGES[within] if within else None,
    )
    rows = find_conversations(project, wanted)
    page = load_page(request, rows, by="updated_at")
    keys = [row.pk for row in page.rows]
    made, labels = count_memories(project, keys), load_conversation_labels(project, keys)
    for row in page.rows:
        row.made, row.labels = made.get(row.pk, 0), labels.get(row.pk, ConversationLabels())
    kept = {name: value for name, value in (asked | {"range": within}).items() if value}
    context = {
        "project": project,
        "asked": asked,
        "dropped": fields.dropped,
        "fields": _list_fields(asked),
        "selects": [build_range_filter(within)],
        "is_narrow": bool(kept),
        "conversations": page.rows,
        "most": COUNTED_IN_LIST,
        "caption": _("%(count)s in all, last active first") % {"count": about(count_up_to(rows, 10_000))},
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "here": f"?{urlencode(kept)}",
        "clear_url": reverse("console:conversations", args=[project.pk]),
        "snippet": render_snippet("add/curl"),
    }
    return render_page(
        request, "console/memory/conversations/page.html", "console/memory/conversations/_list.html", context
    )


def _list_fields(asked: dict[str, str]) -> list[dict[str, Any]]:
    titles = {"user": _("End user"), "agent": _("Agent"), "app": _("App")}
    return [{"name": name, "label": label, "value": asked[name]} for name, label in titles.items()]
