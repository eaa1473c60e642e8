"""Lists of skills in the console, with origin, evidence and usage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Coalesce

from memories.values import OwnerKind
from skills.catalogue.listing import list_visible_skills
from skills.models import Skill, SkillEvidence, SkillVersion
from skills.values import SkillOrigin
from tenancy.models import Project, RequestLog

# What came as a file of a knowledge base is distinguished from what was uploaded here.
OF_BASE = "knowledge_base"
ORIGINS = (
    SkillOrigin.GENERATED.value,
    SkillOrigin.UPLOADED.value,
    OF_BASE,
    SkillOrigin.LEARNED.value,
    SkillOrigin.DEFAULT.value,
)
# So many of the newest searches are looked through for a skill, and so many of the hits shown.
SEARCHES, SHOWN = 1_000, 50
SEARCH = "search/memory"


@dataclass(frozen=True, slots=True)
class SkillShelf:
    """Filter of the list. `subject` is the identifier of an end user or person; `state` "" means all."""

    words: str = ""
    origin: str = ""
    state: str = ""
    subject: str = ""


def filter_skills(project: Project, wanted: SkillShelf) -> QuerySet[Skill]:
    """The skills that match, with `recalls`, how often searches returned them; inside the project's scope."""
    rows = (
        list_visible_skills(project)
        .filter(_build_condition(wanted))
        .select_related("cube", "person", "memory__recall")
    )
    return rows.annotate(recalls=Coalesce(F("memory__recall__count"), 0))


def _build_condition(wanted: SkillShelf) -> Q:
    matching = Q(state=wanted.state) if wanted.state else Q()
    if wanted.words:
        matching &= (
            Q(title__icontains=wanted.words)
            | Q(name__icontains=wanted.words)
            | Q(description__icontains=wanted.words)
        )
    if wanted.subject:
        of_cube = Q(cube__owner_kind=OwnerKind.END_USER, cube__owner_id=wanted.subject)
        matching &= of_cube | Q(person__identifier=wanted.subject)
    if wanted.origin == OF_BASE:
        matching &= Q(project=None)
    elif wanted.origin:
        matching &= Q(origin=wanted.origin) & ~Q(project=None)
    return matching


def get_skill_origin(skill: Skill) -> str:
    return OF_BASE if skill.project_id is None else str(skill.origin)


# What lies in the trash cannot be joined: no evidence while it is there.
_IN_SIGHT = Q(memory=None) | Q(memory__version__gte=0)


def count_evidence(project: Project, skills: Iterable[Skill]) -> dict[UUID, int]:
    """Count the episodes and memories that the versions of each skill rest on."""
    rows = SkillEvidence.objects.within(project).filter(_IN_SIGHT, skill__in=list(skills)).order_by()
    counted = rows.values("skill").annotate(
        count=Count("episode", distinct=True) + Count("memory", distinct=True)
    )
    return dict(counted.values_list("skill", "count"))


def list_skill_versions(skill: Skill) -> QuerySet[SkillVersion]:
    """The newest first."""
    rows: QuerySet[SkillVersion] = SkillVersion.objects.within(skill.account_id)
    return rows.filter(skill=skill).order_by("-number")


def list_skill_evidence(project: Project, skill: Skill) -> QuerySet[SkillEvidence]:
    """The newest first, with the memories and the conversations of the episodes."""
    rows: QuerySet[SkillEvidence] = SkillEvidence.objects.within(project)
    related = ("memory__cube", "episode__conversation__cube")
    return (
        rows.filter(_IN_SIGHT, skill=skill)
        .select_related(*related)
        .order_by("-version", "-created_at", "-pk")
    )


def list_skill_uses(project: Project, skill: Skill) -> list[RequestLog]:
    """List the newest searches that returned the skill, newest first. Bodies are stored for some days only."""
    newest = RequestLog.objects.within(project).filter(endpoint=SEARCH, code=0).order_by("-created_at")
    rows = RequestLog.objects.within(project).filter(
        pk__in=newest.values("pk")[:SEARCHES], response_body__contains=str(skill.pk)
    )
    return list(rows.defer("request_body", "response_body", "trace").order_by("-created_at")[:SHOWN])


def list_skills_of_same_owner(project: Project, skill: Skill) -> QuerySet[Skill]:
    """Other skills of the same owner; skills of different persons are never mixed."""
    rows = list_visible_skills(project).filter(project=project, cube=skill.cube_id)
    if skill.cube_id is None:
        rows = rows.filter(person=skill.person_id)
    return rows.exclude(pk=skill.pk).order_by("title", "pk")
