"""Lists of learning spaces, sessions and people for the console; inside the project's scope."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import CharField, Count, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from skills.merge_meta import refuse_large
from skills.models import (
    LearningRecord,
    LearningSpace,
    Session,
    SessionMessage,
    SessionTask,
    Skill,
    SpaceUser,
)
from skills.spaces.spaces import find_space
from tenancy.models import Project
from tenancy.storage.allowance import storage_scope

Counts = dict[Any, int]


@dataclass(frozen=True, slots=True)
class SpaceFigures:
    """Numbers of a space's skills and sessions."""

    skills: int = 0
    sessions: int = 0


@dataclass(frozen=True, slots=True)
class PersonFigures:
    sessions: int = 0
    spaces: int = 0
    skills: int = 0


def filter_spaces(project: Project, words: str, identifier: str) -> QuerySet[LearningSpace]:
    """Filter spaces by person, and by words in their id, the person's identifier or the meta."""
    rows: QuerySet[LearningSpace] = LearningSpace.objects.within(project).select_related("person")
    if identifier:
        rows = rows.filter(person__identifier=identifier)
    if words:
        rows = rows.annotate(id_text=Cast("id", CharField()), meta_text=Cast("meta", TextField())).filter(
            Q(id_text__icontains=words)
            | Q(meta_text__icontains=words)
            | Q(person__identifier__icontains=words)
        )
    return rows


def load_space_figures(project: Project, spaces: Iterable[LearningSpace]) -> dict[UUID, SpaceFigures]:
    keys = [space.pk for space in spaces]
    skills = _counts(Skill.objects.within(project.account_id).filter(links__space__in=keys), "links__space")
    sessions = _counts(LearningRecord.objects.within(project).filter(space__in=keys), "space")
    return {key: SpaceFigures(skills.get(key, 0), sessions.get(key, 0)) for key in keys}


def replace_meta(project: Project, space_id: UUID, meta: dict[str, Any]) -> LearningSpace:
    """The whole of it, as an editor shows it. Raises `NotFound`, and `InvalidParameters` when it is too large."""
    refuse_large(meta, "meta")
    with storage_scope(project):
        space = find_space(project, space_id, is_locked=True)
        space.meta, space.updated_at = meta, timezone.now()
        space.save(update_fields=["meta", "updated_at"])
    return space


def filter_sessions(project: Project, words: str, identifier: str) -> QuerySet[Session]:
    """Filter sessions by person and by a part of their id."""
    rows: QuerySet[Session] = Session.objects.within(project).select_related("person", "record__space")
    if identifier:
        rows = rows.filter(person__identifier=identifier)
    if words:
        rows = rows.annotate(id_text=Cast("public_id", CharField())).filter(id_text__icontains=words)
    return rows


def count_tasks(project: Project, sessions: Iterable[Session]) -> dict[UUID, int]:
    """Count the tasks that were asked for in each session."""
    rows = SessionTask.objects.within(project).filter(session__in=list(sessions), is_planning=False)
    return _counts(rows, "session")


def list_task_messages(
    session: Session, task: UUID | None, *, of_none: bool = False
) -> QuerySet[SessionMessage]:
    """List messages in their order: of one task by its id, or those `of_none`, or all."""
    rows: QuerySet[SessionMessage] = SessionMessage.objects.within(session.project_id)
    rows = rows.filter(session=session).select_related("task").order_by("position")
    if of_none:
        return rows.filter(Q(task=None) | Q(task__is_planning=True))
    return rows.filter(task=task) if task else rows


def list_session_tasks(session: Session) -> list[SessionTask]:
    """List tasks in their order, the planning task (order 0) first if there is one."""
    rows = SessionTask.objects.within(session.project_id).filter(session=session)
    counted = rows.annotate(message_count=Count("messages"))
    return list(counted.order_by("-is_planning", "order"))


def filter_people(project: Project, words: str) -> QuerySet[SpaceUser]:
    rows: QuerySet[SpaceUser] = SpaceUser.objects.within(project)
    return rows.filter(identifier__icontains=words) if words else rows


def load_people_figures(project: Project, people: Iterable[SpaceUser]) -> dict[UUID, PersonFigures]:
    keys = [person.pk for person in people]
    sessions = _counts(Session.objects.within(project).filter(person__in=keys), "person")
    spaces = _counts(LearningSpace.objects.within(project).filter(person__in=keys), "person")
    skills = _counts(Skill.objects.within(project.account_id).filter(person__in=keys), "person")
    return {key: PersonFigures(sessions.get(key, 0), spaces.get(key, 0), skills.get(key, 0)) for key in keys}


def _counts(rows: QuerySet[Any], by: str) -> Counts:
    return dict(rows.order_by().values(by).annotate(count=Count("pk")).values_list(by, "count"))
