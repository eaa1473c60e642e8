"""Context that every page of a knowledge base needs: the base, its figures, its tabs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from console.pages.shell.access import format_roles_for, get_access
from console.ui.tabs import Tab, build_tab_url, build_tabs
from knowledgebase.bases.base_summaries import BaseFigures, load_base_figures
from knowledgebase.bases.bases import load_base
from knowledgebase.bases.limits import GIGABYTE
from knowledgebase.models import KnowledgeBase
from tenancy.errors import KnowledgeBaseNotLinked, KnowledgeBaseUnknown
from tenancy.models import Project

TABS = ("documents", "skills", "memories", "corrections", "projects", "settings")


@dataclass(frozen=True, slots=True)
class Space:
    """Stored bytes against the plan, for the meter."""

    used: int
    most: int

    @property
    def percent(self) -> int:
        """Progress in percent, at least 1 for anything at all, so that the bar is visible."""
        share = 100 * self.used / self.most if self.most else 100
        return min(100, max(1 if self.used else 0, round(share)))

    @property
    def is_full(self) -> bool:
        return self.used >= self.most

    @property
    def is_high(self) -> bool:
        return self.used >= 0.8 * self.most


def get_bytes_allowed(project: Project) -> int:
    """Bytes that each base may hold, by the plan that was loaded with the project."""
    return project.account.plan.knowledge_base_gigabytes * GIGABYTE


def find_base(project: Project, base_id: str) -> KnowledgeBase:
    """The base, when it is linked to this project; else 404, as for an id that was made up."""
    try:
        return load_base(project, base_id)
    except (KnowledgeBaseUnknown, KnowledgeBaseNotLinked):
        raise Http404 from None


def build_base_url(project: Project, base: KnowledgeBase, tab: str = "") -> str:
    address = reverse("console:knowledge_base", args=[project.pk, base.public_id])
    return build_tab_url(address, tab, TABS[0])


def build_summary_context(project: Project, base: KnowledgeBase, view: str) -> dict[str, Any]:
    """Space, last change and the tabs with their counts; inside the account's scope."""
    figures = load_base_figures([base])[base.pk]
    return {
        "project": project,
        "base": base,
        "shown_tab": view,
        "figures": figures,
        "space": Space(base.bytes_used, get_bytes_allowed(project)),
        "tabs": _build_tabs(project, base, figures),
    }


def _build_tabs(project: Project, base: KnowledgeBase, figures: BaseFigures) -> list[Tab]:
    titles = {
        "documents": _("Documents"),
        "skills": _("Skill files"),
        "memories": _("Memories"),
        "corrections": _("Corrections"),
        "projects": _("Projects"),
        "settings": _("Settings"),
    }
    counts = {
        "documents": figures.documents,
        "skills": figures.skill_files,
        "memories": figures.memories,
        "corrections": figures.corrections,
        "projects": len(figures.projects),
    }
    return build_tabs(titles, partial(build_base_url, project, base), counts)


def change_context(request: HttpRequest) -> dict[str, Any]:
    """Return whether this member may upload, correct and delete files, and who may."""
    return {
        "may_change": get_access(request).may("change_bases"),
        "change_hint": _("Only %(roles)s can upload, correct and delete.")
        % {"roles": format_roles_for("change_bases")},
    }


def link_context(request: HttpRequest) -> dict[str, Any]:
    return {
        "may_link": get_access(request).may("link_bases"),
        "link_hint": _("Only %(roles)s can create, edit and associate knowledge bases.")
        % {"roles": format_roles_for("link_bases")},
    }
