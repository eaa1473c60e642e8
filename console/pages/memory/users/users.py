"""The list of end users: search by id, order, pages."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.shell.access import project_view
from console.pages.shell.rendering import render_page
from console.templatetags.console import about
from console.ui.lists.query_filters import FilterReader
from console.ui.lists.query_values import Select
from console.ui.lists.sorting import SortOrder, load_sorted_page, sort_by_datetime
from console.ui.texts.snippets import render_snippet
from memories.retrieval.browse.end_users import (
    COUNTED_IN_LIST,
    EndUserCounts,
    end_users,
    load_end_user_counts,
)
from memories.retrieval.browse.project_totals import count_end_users
from tenancy.models import Project

MAX_ID = 100


def _parse_user_id(text: str) -> str:
    """An id from an address, with the spaces that belong to it."""
    return text.replace("\0", "")[:MAX_ID]


SORTS: dict[str, SortOrder] = {
    "": sort_by_datetime("last_active_at"),
    "seen": sort_by_datetime("created_at"),
    "id": SortOrder("owner_id", _parse_user_id, is_descending=False),
}


@project_view("see")
@require_safe
def users(request: HttpRequest, project: Project) -> HttpResponse:
    asked = FilterReader(request.GET)
    words = asked.words("q", MAX_ID, _("User ID"))
    sort = asked.choice("sort", SORTS, _("Order"))
    rows = end_users(project, words)
    page = load_sorted_page(request, rows, SORTS[sort])
    counts = load_end_user_counts(project, [row.pk for row in page.rows], COUNTED_IN_LIST)
    for row in page.rows:
        row.counts = counts.get(row.pk, EndUserCounts())
    context = {
        "project": project,
        "words": words,
        "sort": sort,
        "dropped": asked.dropped,
        "selects": [_build_order_select(sort)],
        "is_narrow": bool(words),
        "users": page.rows,
        "caption": _describe_count(count_end_users(project, words), sort),
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "clear_url": reverse("console:users", args=[project.pk]),
        "snippet": render_snippet("add/curl"),
        "most": COUNTED_IN_LIST,
    }
    return render_page(request, "console/memory/users/page.html", "console/memory/users/_list.html", context)


def _build_order_select(sort: str) -> Select:
    options = [("", _("Last active")), ("seen", _("First seen")), ("id", _("By ID"))]
    return Select("sort", _("Order"), sort, options)


def _describe_count(count: int, sort: str) -> Any:
    orders = {
        "": _("%(count)s in all, last active first"),
        "seen": _("%(count)s in all, newest first"),
        "id": _("%(count)s in all, by ID"),
    }
    return orders[sort] % {"count": about(count)}
