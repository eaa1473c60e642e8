"""Memories: the list with its tabs and filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.memory.memories.memory import deletion_context, detail_context, find_memory, shown_status
from console.pages.shell.access import project_view
from console.pages.shell.rendering import show, wants_only_fragment
from console.templatetags.console import OWNERS, STATUSES, about
from console.ui.selects import RANGES, Select, datetime_of, one_of, ranges, uuids_of, words_of
from console.ui.sorting import by_datetime, sorted_page
from memories.retrieval.browse.listing import REPLACED, MemoryQuery, counts_by_kind, matching_memories
from memories.text.topics.tags import repeats_text
from memories.values import Kind, OwnerKind, Status
from tenancy.models import Project

TABS = {"all": "", "facts": "fact", "preferences": "preference", "tools": "tool", "skills": "skill"}

SORTS = {"": by_datetime("created_at"), "updated": by_datetime("updated_at")}
# Counted exactly up to this.
COUNTED = 10_000
STANDINGS = (Status.FROZEN.value, REPLACED, Status.ARCHIVED.value, Status.EXPIRED.value, Status.MERGED.value)


@dataclass(frozen=True, slots=True)
class WantedMemories:
    """The filters, as the address holds them."""

    tab: str
    q: str
    subject: str
    owner: str
    range: str
    standing: str
    conversation: str
    sort: str

    @classmethod
    def of(cls, asked: QueryDict) -> WantedMemories:
        return cls(
            tab=one_of(asked.get("tab", ""), TABS) or "all",
            q=words_of(asked.get("q", ""), 200),
            subject=words_of(asked.get("subject", ""), 100),
            owner=one_of(asked.get("owner", ""), set(OwnerKind)),
            range=one_of(asked.get("range", ""), RANGES),
            standing=one_of(asked.get("standing", ""), STANDINGS),
            conversation=next(map(str, uuids_of([asked.get("conversation", "")])), ""),
            sort=one_of(asked.get("sort", ""), SORTS),
        )

    @property
    def is_narrow(self) -> bool:
        return any((self.q, self.subject, self.owner, self.range, self.standing, self.conversation))

    def shelf(self, *, every_kind: bool = False) -> MemoryQuery:
        return MemoryQuery(
            words=self.q,
            subject_id=self.subject,
            subject_kind=self.owner,
            kind="" if every_kind else TABS[self.tab],
            standing=self.standing,
            since=timezone.now() - RANGES[self.range] if self.range else None,
            conversation=self.conversation,
        )

    def query(self, **changes: str) -> str:
        fields = {
            "q": self.q,
            "subject": self.subject,
            "owner": self.owner,
            "range": self.range,
            "standing": self.standing,
            "conversation": self.conversation,
            "sort": self.sort,
            "tab": self.tab,
        }
        kept = {name: value for name, value in (fields | changes).items() if value}
        if kept.get("tab") == "all":
            del kept["tab"]
        return f"?{urlencode(kept)}"


@project_view("see")
@require_safe
def memories(request: HttpRequest, project: Project) -> HttpResponse:
    wanted = WantedMemories.of(request.GET)
    context = _list_context(request, project, wanted)
    if not wants_only_fragment(request) and (opened := request.GET.get("open")):
        context |= detail_context(request, project, find_memory(project, opened))
    return show(request, "console/memory/memories/page.html", "console/memory/memories/_list.html", context)


@project_view("see")
@require_safe
def memories_news(request: HttpRequest, project: Project) -> HttpResponse:
    """How many memories came since the list was drawn."""
    wanted = WantedMemories.of(request.GET)
    since = datetime_of(request.GET.get("since", ""))
    count = matching_memories(project, wanted.shelf()).filter(created_at__gt=since).count() if since else 0
    context = {"count": count, "list_url": reverse("console:memories", args=[project.pk]) + wanted.query()}
    return show(request, "console/memory/memories/_news.html", "console/memory/memories/_news.html", context)


def _list_context(request: HttpRequest, project: Project, wanted: WantedMemories) -> dict[str, Any]:
    address = reverse("console:memories", args=[project.pk])
    counts = counts_by_kind(matching_memories(project, wanted.shelf(every_kind=True)), COUNTED)
    page = sorted_page(request, matching_memories(project, wanted.shelf()), SORTS[wanted.sort])
    for row in page.rows:
        row.shown_status = shown_status(row)
        row.heading = "" if repeats_text(row.title, row.text) else row.title
    total = _tab_count(counts, wanted.tab)
    is_newest_first = page.rows and page.is_first and not wanted.sort
    newest = page.rows[0].created_at if is_newest_first else timezone.now()
    return {
        "project": project,
        "wanted": wanted,
        "selects": _selects(wanted),
        "tabs": _tabs(address, wanted, counts),
        "tab_empty": _tab_empty(wanted.tab),
        "memories": page.rows,
        "total": total,
        "said": _said(total, wanted.sort),
        "previous_url": page.first_url,
        "next_url": page.next_url,
        "clear_url": address + (f"?tab={wanted.tab}" if wanted.tab != "all" else ""),
        "news_url": reverse("console:memories_news", args=[project.pk])
        + wanted.query(since=newest.isoformat()),
        "selection_key": wanted.query(),
        **deletion_context(request),
    }


def _said(total: int, sort: str) -> str:
    said = _("%(count)s in all, last updated first") if sort else _("%(count)s in all, newest first")
    return said % {"count": about(total)}


def _tabs(address: str, wanted: WantedMemories, counts: dict[str, int]) -> list[dict[str, Any]]:
    titles = {
        "all": _("All"),
        "facts": _("Facts"),
        "preferences": _("Preferences"),
        "tools": _("Tool memories"),
        "skills": _("Skills"),
    }
    return [
        {
            "name": name,
            "title": title,
            "count": _tab_count(counts, name),
            "url": address + wanted.query(tab=name),
        }
        for name, title in titles.items()
    ]


def _tab_count(counts: dict[str, int], tab: str) -> int:
    if tab == "all":
        return sum(counts.values())
    if tab == "tools":
        return counts.get(Kind.TOOL_SCHEMA, 0) + counts.get(Kind.TOOL_TRAJECTORY, 0)
    return counts.get(TABS[tab], 0)


def _tab_empty(tab: str) -> dict[str, str]:
    """What makes memories of this kind: an empty list teaches."""
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
    return [
        Select("standing", _("Status"), wanted.standing, [("", _("Current value")), *standings]),
        Select("owner", _("Subject type"), wanted.owner, [("", _("Any subject")), *kinds]),
        ranges(wanted.range),
        Select(
            "sort", _("Order"), wanted.sort, [("", _("Newest first")), ("updated", _("Last updated first"))]
        ),
    ]
