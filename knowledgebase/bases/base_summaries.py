"""Contents and linked projects of several bases, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max

from knowledgebase.models import Correction, KnowledgeBase, KnowledgeFile
from knowledgebase.values import FileType
from memories.models import CubeGrant, Memory
from tenancy.models import Project


@dataclass(slots=True)
class BaseFigures:
    """`projects` are those that the base is linked to, with the time of the link."""

    documents: int = 0
    skill_files: int = 0
    memories: int = 0
    corrections: int = 0
    projects: list[tuple[Project, datetime]] = field(default_factory=list)
    changed_at: datetime | None = None


def load_base_figures(bases: Sequence[KnowledgeBase]) -> dict[UUID, BaseFigures]:
    """Figures by primary key of the base; inside the account's scope, because grants belong to projects."""
    figures = {base.pk: BaseFigures(changed_at=base.updated_at) for base in bases}
    if bases:
        by_cube = {base.cube_id: figures[base.pk] for base in bases}
        _count_files(bases, figures)
        _count_corrections(bases, figures)
        counted = Memory.objects.within(list(by_cube)).current().order_by().values("cube_id")
        for row in counted.annotate(n=Count("pk")):
            by_cube[row["cube_id"]].memories = row["n"]
        grants = CubeGrant.objects.within(Project.objects.filter(account=bases[0].account_id))
        for grant in grants.filter(cube__in=list(by_cube)).select_related("project").order_by("created_at"):
            by_cube[grant.cube_id].projects.append((grant.project, grant.created_at))
    return figures


def _count_files(bases: Sequence[KnowledgeBase], figures: dict[UUID, BaseFigures]) -> None:
    files = KnowledgeFile.objects.within(bases[0].account_id).filter(base__in=bases).order_by()
    for row in files.values("base_id", "type").annotate(n=Count("pk"), at=Max("updated_at")):
        base_figures = figures[row["base_id"]]
        if row["type"] == FileType.SKILL:
            base_figures.skill_files = row["n"]
        else:
            base_figures.documents = row["n"]
        base_figures.changed_at = _get_later(base_figures.changed_at, row["at"])


def _count_corrections(bases: Sequence[KnowledgeBase], figures: dict[UUID, BaseFigures]) -> None:
    corrections = Correction.objects.within(bases[0].account_id).filter(base__in=bases).order_by()
    for row in corrections.values("base_id").annotate(n=Count("pk"), at=Max("created_at")):
        figures[row["base_id"]].corrections = row["n"]
        figures[row["base_id"]].changed_at = _get_later(figures[row["base_id"]].changed_at, row["at"])


def _get_later(changed_at: datetime | None, other: Any) -> datetime | None:
    return max(at for at in (changed_at, other) if at is not None) if changed_at or other else None
