"""The page of memory health: findings by problem, each with what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.pages.shell.access import get_access, project_view
from console.pages.shell.rendering import render_page
from console.ui.lists.paging import build_next_page_url, parse_cursor
from memories.retrieval.browse.health import MOST_REVIEWED, HealthFinding, Problem, review_memories
from memories.retrieval.browse.health_cache import cache_score
from tenancy.models import Project


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """The findings of one problem, in the words of the page."""

    problem: str
    title: str
    text: str
    findings: list[HealthFinding]


@project_view("see")
@require_safe
def health(request: HttpRequest, project: Project) -> HttpResponse:
    cursor = parse_cursor(request.GET.get("after", ""))
    review = review_memories(project, cursor)
    if cursor is None:
        cache_score(project, review)
    words, oldest = _list_problem_texts(), review.oldest
    context = {
        "project": project,
        "review": review,
        "reviewed": review.reviewed,
        "is_first": cursor is None,
        "older_url": build_next_page_url(request, f"{oldest.created_at.isoformat()}~{oldest.pk}")
        if oldest
        else "",
        "newest_url": reverse("console:health", args=[project.pk]) if cursor else "",
        "most": MOST_REVIEWED,
        "may_change": get_access(request).may("change_memories"),
        "may_delete": get_access(request).may("delete_memories"),
        "groups": [
            ProblemGroup(problem, *words[problem], findings) for problem, findings in review.findings.items()
        ],
    }
    return render_page(
        request, "console/memory/health/page.html", "console/memory/health/_findings.html", context
    )


def _list_problem_texts() -> dict[Problem, tuple[Any, Any]]:
    return {
        Problem.REPEATED: (
            _("Duplicates"),
            _("Two memories of one subject that say the same. Archive the one you do not need."),
        ),
        Problem.CONTRADICTED: (
            _("Contradictions"),
            _("Two current values of a state that has one value at a time. Archive the wrong one."),
        ),
        Problem.UNSOURCED: (
            _("Source deleted"),
            _("Their source messages no longer exist, so they cannot be checked."),
        ),
        Problem.EMPTY: (
            _("Too little content"),
            _("These memories hold one meaningful word or none, so they answer no question."),
        ),
        Problem.UNSURE: (
            _("Low confidence"),
            _("Engram is less than half sure of these facts. Open one to correct it, or archive it."),
        ),
        Problem.PAST: (
            _("Expired"),
            _("The last day of these memories has passed. Searches no longer return them."),
        ),
    }
