"""The search box: results below it, or on a page of their own without JavaScript."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.help.docs.documents import DOCUMENTS
from console.pages.shell.access import get_access, project_view
from console.pages.shell.rendering import render_page
from console.pages.shell.shell import build_navigation
from console.ui.lists.query_values import parse_search_words
from knowledgebase.bases.bases import list_linked_bases
from memories.cubes.access import select_reachable_memories
from memories.models import MemCube
from memories.retrieval.browse.word_search import find_memories_by_words
from memories.values import OwnerKind
from skills.catalogue.listing import list_visible_skills
from tenancy.models import Project, RequestLog

# Rows of one kind; the list of that kind has the rest.
MOST = 5
LONGEST = 200


@dataclass(frozen=True, slots=True)
class SearchResult:
    title: str
    url: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ResultGroup:
    title: str
    icon: str
    rows: list[SearchResult]


@project_view("see")
@require_safe
def find(request: HttpRequest, project: Project) -> HttpResponse:
    """Find at most `MOST` of each kind. Viewers who may not read texts find pages only."""
    words = parse_search_words(request.GET.get("q", ""), LONGEST)
    groups = [ResultGroup(_("Pages"), "app-window", _find_pages(request, words))]
    if words:
        groups += [
            ResultGroup(_("Requests"), "scroll-text", _find_requests(project, words)),
            ResultGroup(_("End users"), "user", _find_users(project, words)),
            ResultGroup(_("Knowledge bases"), "book-open", _find_bases(project, words)),
            ResultGroup(_("Skills"), "graduation-cap", _find_skills(project, words)),
        ]
        groups.insert(1, ResultGroup(_("Memories"), "brain", _find_memories(project, words)))
    shown = [group for group in groups if group.rows]
    context = {
        "project": project,
        "words": words,
        "groups": shown,
        "count": sum(len(group.rows) for group in shown),
    }
    return render_page(request, "console/help/find/page.html", "console/help/find/_results.html", context)


def _find_pages(request: HttpRequest, words: str) -> list[SearchResult]:
    access = get_access(request)
    links = [link for group in build_navigation(request, access) for link in group.links]
    pages = [SearchResult(link.title, link.url) for link in links]
    if not words:
        return pages
    pages += [
        SearchResult(document.title, reverse("console:document", args=[document.slug]), _("Documentation"))
        for document in DOCUMENTS.values()
    ]
    return [page for page in pages if words.casefold() in page.title.casefold()][: 2 * MOST]


def _find_memories(project: Project, words: str) -> list[SearchResult]:
    key = _parse_uuid(words)
    if key:
        rows = list(select_reachable_memories(project).filter(pk=key).select_related("cube"))
    else:
        rows = find_memories_by_words(project, words, MOST)
    address = reverse("console:memories", args=[project.pk])
    return [
        SearchResult(row.title or row.text[:120], f"{address}?open={row.pk}", row.cube.owner_id)
        for row in rows
    ]


def _find_users(project: Project, words: str) -> list[SearchResult]:
    cubes = MemCube.objects.within(project).filter(owner_kind=OwnerKind.END_USER, owner_id__icontains=words)
    ids = cubes.order_by("owner_id").values_list("owner_id", flat=True)[:MOST]
    return [SearchResult(user_id, reverse("console:user", args=[project.pk, user_id])) for user_id in ids]


def _find_requests(project: Project, words: str) -> list[SearchResult]:
    rows = RequestLog.objects.within(project).filter(request_id=words).only("request_id", "endpoint", "code")
    return [
        SearchResult(row.request_id, reverse("console:log", args=[project.pk, row.request_id]), row.endpoint)
        for row in rows[:1]
    ]


def _find_bases(project: Project, words: str) -> list[SearchResult]:
    rows = list_linked_bases(project).filter(name__icontains=words).order_by("name")[:MOST]
    return [
        SearchResult(row.name, reverse("console:knowledge_base", args=[project.pk, row.public_id]))
        for row in rows
    ]


def _find_skills(project: Project, words: str) -> list[SearchResult]:
    rows = list_visible_skills(project).filter(title__icontains=words).order_by("title", "pk")[:MOST]
    return [SearchResult(row.title, reverse("console:skill", args=[project.pk, row.pk])) for row in rows]


def _parse_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
