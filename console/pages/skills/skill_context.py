"""Context that every page of a skill needs: the skill, permissions, dialogs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from console.pages.shell.access import format_roles_for, found_or_404, get_access
from console.pages.shell.dialogs import Dialog
from console.ui.tabs import build_tab_url
from knowledgebase.models import KnowledgeBase
from memories.values import OwnerKind
from skills.catalogue.console_list import get_skill_origin
from skills.catalogue.listing import find_skill
from skills.models import Skill
from tenancy.models import Project

TABS = ("content", "versions", "evidence", "use", "install")


def get_skill(project: Project, skill_id: UUID) -> Skill:
    """The skill as the list shows it; 404 for another project's as for one that never was."""
    with found_or_404(project):
        skill = find_skill(project, skill_id)
        name_bases(project, [add_badges(skill)])
        return skill


def add_badges(skill: Skill) -> Skill:
    """With what badges show: where it came from, and whose it is."""
    skill.shown_origin = get_skill_origin(skill)  # type: ignore[attr-defined]
    cube = skill.cube
    if cube is not None and cube.owner_kind != OwnerKind.PUBLIC:
        skill.subject = (cube.owner_kind, cube.owner_id)  # type: ignore[attr-defined]
    elif skill.person is not None:
        skill.subject = ("end_user", skill.person.identifier)  # type: ignore[attr-defined]
    else:
        # What only learning spaces use is nobody's.
        skill.subject = ("public", "") if cube else None  # type: ignore[attr-defined]
    return skill


def name_bases(project: Project, skills: Iterable[Skill]) -> None:
    """A knowledge base is known by its name; inside the project's scope."""
    shown = [skill for skill in skills if skill.project_id is None and skill.cube]
    keys = [skill.cube.owner_id for skill in shown if skill.cube]
    rows = KnowledgeBase.objects.within(project.account_id).filter(public_id__in=keys)
    names = dict(rows.values_list("public_id", "name")) if keys else {}
    for skill in shown:
        kind, key = skill.subject  # type: ignore[attr-defined]
        skill.subject = (kind, names.get(key, key))  # type: ignore[attr-defined]


def build_skill_url(project: Project, skill: Skill, tab: str = "") -> str:
    address = reverse("console:skill", args=[project.pk, skill.pk])
    return build_tab_url(address, tab, TABS[0])


def change_context(request: HttpRequest) -> dict[str, Any]:
    """Return whether this member may upload, change and delete skills, and who may."""
    return {
        "may_change": get_access(request).may("change_skills"),
        "change_hint": _("Only %(roles)s can change skills.") % {"roles": format_roles_for("change_skills")},
    }


def build_dialog(
    project: Project, skill: Skill, page: str, template: str, *place: Any, **more: Any
) -> Dialog:
    """`place` is what the page's address has besides; `more` are the dialog's title, verb and what else it has."""
    return Dialog(
        template=f"console/skills/dialogs/{template}.html",
        action=reverse(f"console:{page}", args=[project.pk, skill.pk, *place]),
        back=build_skill_url(project, skill),
        **more,
    )
