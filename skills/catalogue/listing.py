"""Find and list skills, for the console and the API."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet

from memories.models import CubeGrant
from skills.models import Skill
from tenancy.errors import NotFound
from tenancy.models import Project


def list_visible_skills(project: Project) -> QuerySet[Skill]:
    """Skills that the project may see: its own, and those of linked knowledge bases.

    Inside the project's scope.
    """
    granted = CubeGrant.objects.within(project).values("cube")
    rows: QuerySet[Skill] = Skill.objects.within(project.account_id)
    return rows.filter(Q(project=project) | Q(project=None, cube__in=granted)).select_related("cube")


def find_skill(project: Project, skill_id: str | UUID, *, is_locked: bool = False) -> Skill:
    """Find a skill. Raises `NotFound`, also for another tenant's skill."""
    try:
        key = UUID(str(skill_id))
    except ValueError:
        raise NotFound("no skill of this id") from None
    rows = list_visible_skills(project)
    if is_locked:
        rows = rows.select_for_update(no_key=True, of=("self",))
    skill: Skill | None = rows.filter(pk=key).first()
    if skill is None:
        raise NotFound("no skill of this id")
    return skill
