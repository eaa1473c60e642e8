"""Memories: the list with its tabs, filters, columns and views."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.memory.bulk.progress import build_progress_context
from console.pages.memory.bulk.words import WORDS
from console.pages.memory.memories.gone import GONE
from console.pages.memory.memories.listing.layout import COMPACT, Layout, build_columns, save_layout
from console.pages.memory.memories.listing.list_query import LABELS, SORTS, STANDINGS, TABS, WantedMemories
from console.pages.memory.memories.listing.saved_views import build_views_context
from console.pages.memory.memories.memory import (
    build_deletion_context,
    build_detail_context,
    find_memory_to_show,
    get_shown_status,
)
from console.pages.shell.access import format_roles_for, get_access, project_view
from console.pages.shell.rendering import render_page, wants_only_fragment
from console.templatetags.console import OWNERS, STATUSES, about
from console.ui.lists.query_values import Select, build_range_filter, parse_utc_datetime
from console.ui.lists.sorting import load_sorted_page
from console.ui.tabs import Tab, build_tabs
from memories.models.memory import MemoryQuerySet
from memories.retrieval.browse.listing import UNSHOWN, counts_by_kind, find_memories, load_keys_by_kind
from memories.text.topics.tags import repeats_text
from memories.values import BulkAction, MemoryKind, MemoryStatus, OwnerKind
from tenancy.models import Project

# Counted exactly up to this; where text has to be compared, which no index does, up to fewer.
COUNTED, COUNTED_IN_TEXT = 10_000, 300
# Filters that have a field of their own above the list; the others are shown as chips too.
IN_BAR = ("q", "subject", "standing", "owner", "range", "tab")
# In place of the usual actions where all that is listed is in this state.
OPPOSITES = {
    MemoryStatus.FROZEN: {BulkAction.FREEZE: BulkAction.UNFREEZE},
    MemoryStatus.ARCHIVED: {BulkAction.ARCHIVE: BulkAction.RESTORE},
    MemoryStatus.EXPIRED: {BulkAction.ARCHIVE: BulkAction.RESTORE},
}
# The tab that shows a kind alone.
TAB_OF = {
    MemoryKind.FACT: "facts",
    MemoryKind.PREFERENCE: "preferences",
    MemoryKind.TOOL_SCHEMA: "tools",
    MemoryKind.TOOL_TRAJECTORY: "tools",
    MemoryKind.SKILL: "skills",
}
OFFERED = (BulkAction.FREEZE, BulkAction.ARCHIVE, BulkAction.TAG, BulkAction.UNTAG)


@project_view("see")
@require_safe
def memories(request: HttpRequest, project: Project) -> HttpResponse:
    if "layout" in request.GET:
        return save_layout(request)
    wanted = WantedMemories.of(request.GET)
    context = _list_context(request, project, wanted)
    status = 200
    if not wants_only_fragment(request):
        context |= build_views_context(request, project, wanted)
        opened = request.GET.get("open")
        shown = find_memory_to_show(project, opened) if opened else None
        if shown is not None:
            context |= build_detail_context(request, project, shown)
            context["opened_id"] = context["opened"].pk
        elif opened:  # such as "back" after it was deleted: the list is there all the same
            messages.error(request, str(GONE))
            status = 404
    return render_page(
        request, "console/memory/memories/page.html", "console/memory/memories/_list.html", context, status
    )


@project_view("see")
@require_safe
def memories_news(request: HttpRequest, project: Project) -> HttpResponse:
    """How many memories came since the list was drawn."""
    wanted = WantedMemories.of(request.GET)
    since = parse_utc_datetime(request.GET.get("since", ""))
    count = find_memories(project, wanted.shelf()).filter(created_at__gt=since).count() if since else 0
    context = {"count": count, "list_url": reverse("console:memories", args=[project.pk]) + wanted.query()}
    return render_page(
        request, "console/memory/memories/_news.html", "console/memory/memories/_news.html", context
    )


def _list_context(request: HttpRequest, project: Project, wanted: WantedMemories) -> dict[str, Any]:
    address = reverse("console:memories", args=[project.pk])
    counted = COUNTED_IN_TEXT if wanted.q else COUNTED
    counts, rows, used = _find_listed(project, wanted, counted)
    page = load_sorted_page(request, rows, SORTS[wanted.sort], keys_first=wanted.sort == "recalled")
    _add_shown_values(page.rows)
    total = _count_tab(counts, wanted.tab)
    is_newest_first = page.rows and page.is_first and not wanted.sort
    newest = page.rows[0].created_at if is_newest_first else timezone.now()
    return {
        "project": project,
        "wanted": wanted,
        **_build_filter_context(address, wanted, page.rows),
        "tabs": _build_tabs(address, wanted, counts),
        "tab_empty": _get_empty_texts(wanted.tab),
        "memories": page.rows,
        "opened_id": None,
        **_build_layout_context(request, address, wanted),
        "total": total,
        "counted": counted,
        "caption": _describe_count(about(total, counted), wanted.sort),
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "begins_words": used.shelf().uses_word_index,
        "fell_back": used.inside != wanted.inside,
        "news_url": reverse("console:memories_news", args=[project.pk])
        + used.query(since=newest.isoformat()),
        "selection_key": used.query(),
        "selection_filter": used.query().removeprefix("?"),
        "actions": _list_actions(request, project, wanted),
        "may_change": get_access(request).may("change_memories"),
        "change_hint": _("Only %(roles)s can change memories.")
        % {"roles": format_roles_for("change_memories")},
        **build_progress_context(request, project),
        **build_deletion_context(request),
    }


def _add_shown_values(rows: list[Any]) -> None:
    """Give each memory what its line shows beside its columns."""
    for row in rows:
        row.shown_status = get_shown_status(row)
        row.tab = TAB_OF.get(row.kind, "")
        row.heading = "" if repeats_text(row.title, row.text) else row.title
        recall = getattr(row, "recall", None)
        row.recalled, row.recalled_at = (recall.count, recall.last_at) if recall else (0, None)


def _build_filter_context(address: str, wanted: WantedMemories, rows: list[Any]) -> dict[str, Any]:
    return {
        "selects": _selects(wanted),
        "more": _build_more_filters(wanted),
        "chips": _build_filter_chips(address, wanted, rows),
        "dropped": wanted.dropped,
        "is_sorted": bool(wanted.sort),
        "clear_url": address + (f"?tab={wanted.tab}" if wanted.tab != "all" else ""),
        "inside_url": address + wanted.query(inside="yes"),
    }


def _build_layout_context(request: HttpRequest, address: str, wanted: WantedMemories) -> dict[str, Any]:
    layout = Layout.of(request)
    columns = build_columns(layout, wanted.sort, lambda sort: address + wanted.query(sort=sort))
    return {
        "columns": columns,
        "shown": {column.name: str(column.title) if column.is_shown else "" for column in columns},
        "is_compact": layout.density == COMPACT,
    }


class _Listed(NamedTuple):
    """Counts of each kind, the rows of the list without order, and the filters that were used."""

    counts: Counter[str]
    rows: MemoryQuerySet
    used: WantedMemories


def _find_listed(project: Project, wanted: WantedMemories, counted: int) -> _Listed:
    """Find the memories of the list, and count them up to `counted`.

    Where no word begins like what is looked for, it is looked for inside words. Few memories with rare words may be
    found by comparing all texts, once: the list is then read by their ids.
    """
    of_every_kind, rows = (
        find_memories(project, wanted.shelf(every_kind=True)),
        _select_rows(project, wanted),
    )
    if not wanted.q:
        return _Listed(counts_by_kind(project, of_every_kind, counted), rows, wanted)
    keys = load_keys_by_kind(project, of_every_kind, counted)
    counts = Counter({kind: len(some) for kind, some in keys.items() if some})
    if not counts and wanted.shelf().uses_word_index:
        return _find_listed(project, replace(wanted, inside="yes"), counted)
    if all(count <= counted for count in counts.values()):
        rows = rows.filter(pk__in=[key for some in keys.values() for key in some])
    return _Listed(counts, rows, wanted)


def _select_rows(project: Project, wanted: WantedMemories) -> MemoryQuerySet:
    rows: MemoryQuerySet = find_memories(project, wanted.shelf()).defer(*UNSHOWN, "details", "reasoning")
    if wanted.sort == "recalled":
        rows = rows.annotate(recall_count=Coalesce("recall__count", 0))
    return rows


def _describe_count(total: str, sort: str) -> str:
    orders = {
        "": _("%(count)s in all, newest first"),
        "oldest": _("%(count)s in all, oldest first"),
        "updated": _("%(count)s in all, last updated first"),
        "stale": _("%(count)s in all, least recently updated first"),
        "confidence": _("%(count)s in all, most confident first"),
        "doubtful": _("%(count)s in all, least confident first"),
        "recalled": _("%(count)s in all, most recalled first"),
    }
    return orders[sort] % {"count": total}


def _build_tabs(address: str, wanted: WantedMemories, counts: dict[str, int]) -> list[Tab]:
    titles = {
        "all": _("All"),
        "facts": _("Facts"),
        "preferences": _("Preferences"),
        "tools": _("Tool memories"),
        "skills": _("Skills"),
    }
    tab_counts = {name: _count_tab(counts, name) for name in titles}
    return build_tabs(titles, lambda tab: address + wanted.query(tab=tab), tab_counts)


def _count_tab(counts: dict[str, int], tab: str) -> int:
    if tab == "all":
        return sum(counts.values())
    if tab == "tools":
        return counts.get(MemoryKind.TOOL_SCHEMA, 0) + counts.get(MemoryKind.TOOL_TRAJECTORY, 0)
    return counts.get(TABS[tab], 0)


def _get_empty_texts(tab: str) -> dict[str, str]:
    """Return what makes memories of this kind: an empty list teaches."""
    words = {
        "all": (
            "brain",
            _("No memory yet"),
            _("Send a conversation with add/message. Its memories appear here."),
        ),
        "facts": ("bookmark", _("No fact yet"), _("Facts come from what end users say about themselves.")),
        "preferences": ("heart", _("No preference yet"), _("Say “I like window seats” and one appears.")),
        "tools": ("wrench", _("No tool memory yet"), _("They come from messages with the role “tool”.")),
        "skills": (
            "graduation-cap",
            _("No skill yet"),
            _("Skills are learnt from conversations that repeat a method."),
        ),
    }
    icon, title, text = words[tab]
    return {"icon": icon, "title": title, "text": text}


def _selects(wanted: WantedMemories) -> list[Select]:
    kinds = [(name, str(label)) for name, (label, _icon) in OWNERS.items() if name in set(OwnerKind)]
    standings = [(name, str(STATUSES[name][0])) for name in STANDINGS]
    orders = [
        ("", _("Newest first")),
        ("oldest", _("Oldest first")),
        ("updated", _("Last updated first")),
        ("stale", _("Least recently updated first")),
        ("confidence", _("Most confident first")),
        ("doubtful", _("Least confident first")),
        ("recalled", _("Most recalled first")),
    ]
    return [
        Select("standing", _("Status"), wanted.standing, [("", _("Current value")), *standings]),
        Select("owner", _("Subject type"), wanted.owner, [("", _("Any subject")), *kinds]),
        build_range_filter(wanted.range),
        Select("sort", _("Order"), wanted.sort, orders),
    ]


def _build_more_filters(wanted: WantedMemories) -> dict[str, Any]:
    """The filters behind "More filters"."""
    fields = [
        {"name": name, "label": LABELS[name], "value": getattr(wanted, name), "hint": hint}
        for name, hint in {
            "tag": _("travel"),
            "info": _("key or key=value"),
            "conversation": "conversation_id",
            "agent": "agent_id",
            "app": "app_id",
        }.items()
    ]
    confidences = [
        ("", _("Any confidence")),
        ("90", _("90% or more")),
        ("70", _("70% or more")),
        ("below-70", _("Below 70%")),
        ("below-50", _("Below 50%")),
    ]
    matches = [("", _("From the beginning of a word")), ("yes", _("Inside words and in titles too"))]
    recalls = [("", _("Recalled or not")), ("never", _("Never recalled")), ("ever", _("Recalled"))]
    conflicts = [("", _("With or without conflicts")), ("yes", _("In conflict"))]
    selects = [
        Select("inside", LABELS["inside"], wanted.inside, matches),
        Select("confidence", _("Confidence"), wanted.confidence, confidences),
        Select("recalls", _("Recalled"), wanted.recalls, recalls),
        Select("conflicts", _("Conflicts"), wanted.conflicts, conflicts),
    ]
    return {"fields": fields, "selects": selects}


def _build_filter_chips(address: str, wanted: WantedMemories, rows: list[Any]) -> list[dict[str, Any]]:
    """The filters that have no field in sight, each with the list without it."""
    words = {"conversation": rows[0].conversation_key if rows else ""}
    words |= {
        name: dict(select.options).get(select.value, "")
        for select in _build_more_filters(wanted)["selects"]
        if (name := select.name)
    }
    return [
        {
            "label": LABELS[name],
            "value": words.get(name) or value,
            "url": address + wanted.query(**{name: ""}),
        }
        for name, value in wanted.fields().items()
        if name not in IN_BAR
    ]


def _list_actions(request: HttpRequest, project: Project, wanted: WantedMemories) -> list[dict[str, Any]]:
    """List what can be done with the chosen memories besides deleting them."""
    opposites = (
        OPPOSITES.get(MemoryStatus(wanted.standing), {}) if wanted.standing in set(MemoryStatus) else {}
    )
    return [
        {
            "icon": WORDS[action].icon,
            "name": WORDS[action].name,
            "url": reverse("console:bulk_order", args=[project.pk, action]),
        }
        for action in (opposites.get(offer, offer) for offer in OFFERED)
    ]
