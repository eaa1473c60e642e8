"""One knowledge base with its tabs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.pages.knowledge.base_context import (
    TABS,
    build_summary_context,
    change_context,
    find_base,
    link_context,
)
from console.pages.knowledge.tabs import CONTEXTS
from console.pages.shell.access import project_view
from console.pages.shell.rendering import render_page, wants_only_fragment
from console.ui.lists.query_values import parse_choice
from knowledgebase.models import KnowledgeBase
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project

FRAGMENTS = {
    "documents": "_files",
    "skills": "_files",
    "memories": "_memories",
    "corrections": "_corrections",
    "projects": "_projects",
    "settings": "_settings",
}


@project_view("see", is_scoped=False)
@require_safe
def knowledge_base(request: HttpRequest, project: Project, base_id: str) -> HttpResponse:
    base = find_base(project, base_id)
    return show_tab(
        request, project, base, shown_tab=parse_choice(request.GET.get("tab", ""), TABS) or TABS[0]
    )


def show_tab(
    request: HttpRequest,
    project: Project,
    base: KnowledgeBase,
    *,
    shown_tab: str,
    more: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """A browser gets the page; htmx the part that changes, and the figures above it aside.

    The figures are the account's; what is in the base is read as this project may see it.
    """
    fragment = f"console/knowledge/{FRAGMENTS[shown_tab]}.html"
    with tenant_scope(project.account):
        context = build_summary_context(project, base, shown_tab)
    with tenant_scope(project):
        context |= {
            **change_context(request),
            **link_context(request),
            **CONTEXTS[shown_tab](request, project, base),
            "fragment": fragment,
            "is_aside": wants_only_fragment(request),
            **(more or {}),
        }
        status = 404 if context.get("is_gone") else status
        return render_page(request, "console/knowledge/base.html", fragment, context, status)
