"""The learn task: write waiting lessons into the files of a space's skills, one run at a time, each lesson once.

A run takes lessons, edits copies of the skills outside of any transaction, and stores skills and lessons together in
one. If a skill changed meanwhile, the edits are replayed on its new version; where they no longer apply, they are made
anew.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from memories.engine.protocols import ProviderRefused
from memories.jobs import outbox
from memories.models import Task
from memories.values import TaskKind, TaskState
from skills.learning.workspace.stored_skills import (
    Signature,
    embed_changed_skills,
    load_workspace_skills,
    save_workspace_skills,
)
from skills.learning.workspace.workspace import Workspace, WorkspaceSkill
from skills.learning.writing_engine import WrittenWorkspace, write_lessons
from skills.models import LearningSpace, Lesson, Session, Skill
from skills.reading.task_board import RefusedAction
from skills.sessions.records import update_status
from skills.values import LessonState
from tenancy.isolation.scoping import Scope, tenant_scope

log = logging.getLogger(__name__)

# A run begins with the lesson that waited longest and takes so many others along.
MOST_OTHERS = 4
# How often a run makes its edits anew on skills that somebody else changed, before the task goes back to the queue.
TRIES = 3
LEARNING = [LessonState.WAITING, LessonState.WRITING]


class Stale(Exception):
    """The skills changed since they were read, and the edits no longer apply."""


def queue_learning(space: LearningSpace) -> None:
    """Write a learn task for the waiting lessons of the space, in the transaction that stored them.

    At most one waits unclaimed: its run reads the lessons under the lock taken here.
    """
    LearningSpace.objects.within(space.project_id).select_for_update(no_key=True).filter(pk=space.pk).first()
    unclaimed = [TaskState.QUEUED, TaskState.WAITING]
    tasks = Task.objects.within(space.project_id).filter(kind=TaskKind.LEARN, subject=space.pk)
    if not tasks.filter(state__in=unclaimed).exists():
        _write_task(space)


def _write_task(space: LearningSpace) -> None:
    outbox.write_work(
        space.account_id,
        project_id=space.project_id,
        kind=TaskKind.LEARN,
        dedupe_key=f"{space.pk}:{uuid4()}",
        payload={},
        subject=space.pk,
    )


def learn(task: Task) -> None:
    """Run a learn task. Raises `outbox.LeaseLost` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    try:
        done = any(_try_learning(task, scope) for _ in range(TRIES))
    except ProviderRefused:
        give_up(scope, task.subject)
        raise
    if not done:
        raise outbox.InputsChanged(str(task.pk))


def _try_learning(task: Task, scope: Scope) -> bool:
    """Write the lessons once; False when the skills changed meanwhile and the edits no longer apply."""
    with tenant_scope(scope):
        lessons, skills = _take_lessons(task)
        if not lessons:
            outbox.complete(task, {"lessons": 0})
            return True
    written = write_lessons(scope, lessons, skills)
    vectors = embed_changed_skills(written.workspace, skills)
    try:
        with tenant_scope(scope):
            _store_skills(task, lessons, skills, written, vectors)
    except Stale:
        log.info("learning_again", extra={"task": str(task.pk)})
        return False
    return True


def _take_lessons(task: Task) -> tuple[list[Lesson], list[WorkspaceSkill]]:
    """Mark and load the lessons of this run, and the skills: the oldest first, so also those of a killed run."""
    space = _lock_space(task.own_project, task.subject)
    if space is None:
        return [], []
    outbox.require_fence(task)
    rows = Lesson.objects.within(task.project_id).filter(space=space, state__in=LEARNING)
    lessons = list(rows.order_by("created_at", "id")[: 1 + MOST_OTHERS])
    _mark_lessons(task.own_project, lessons, LessonState.WRITING)
    return lessons, load_workspace_skills(space)


def _lock_space(project_id: UUID, space_id: UUID) -> LearningSpace | None:
    rows = LearningSpace.objects.within(project_id).select_for_update(no_key=True, of=("self",))
    space: LearningSpace | None = rows.select_related("project", "person").filter(pk=space_id).first()
    return space


def _lock_sessions(project_id: UUID, lessons: Sequence[Lesson]) -> None:
    """Lock the sessions, always after their space: deleting a session deletes its record and lessons too."""
    keys = {lesson.session_id for lesson in lessons}
    rows = Session.objects.within(project_id).select_for_update(no_key=True)
    list(rows.filter(pk__in=keys).order_by("pk").values_list("pk"))


def _mark_lessons(project_id: UUID, lessons: Sequence[Lesson], state: LessonState) -> None:
    _lock_sessions(project_id, lessons)
    keys = [lesson.pk for lesson in lessons]
    Lesson.objects.within(project_id).filter(pk__in=keys).update(state=state, updated_at=timezone.now())
    _keep_statuses(project_id, lessons)


def _keep_statuses(project_id: UUID, lessons: Sequence[Lesson]) -> None:
    for session in sorted({lesson.session_id for lesson in lessons}):
        update_status(project_id, session)


def _store_skills(
    task: Task,
    lessons: Sequence[Lesson],
    skills: Sequence[WorkspaceSkill],
    written: WrittenWorkspace,
    vectors: dict[str, list[float]],
) -> None:
    """Write skills, lessons and the task's end in the caller's transaction. Raises `Stale`."""
    space = _lock_space(task.own_project, task.subject)
    if space is None:
        outbox.complete(task, {"lessons": 0})
        return
    outbox.require_fence(task)
    _require_lessons(task.own_project, lessons)
    workspace, fresh = _replay_on_current(space, skills, written.workspace)
    saved = save_workspace_skills(space, workspace, fresh, Signature(written.reason), vectors)
    for lesson in lessons:
        lesson.content = {**lesson.content, "learned": _build_note(written.notes[lesson.pk], saved)}
        lesson.state, lesson.updated_at = LessonState.WRITTEN.value, timezone.now()
        lesson.save(update_fields=["content", "state", "updated_at"])
    _queue_next_run(space)
    _keep_statuses(task.own_project, lessons)
    outbox.complete(task, {"lessons": len(lessons), "skills": [str(skill.pk) for skill in saved]})


def _build_note(note: dict[str, Any], skills: Sequence[Skill]) -> dict[str, Any]:
    """The note in a lesson's row: who wrote it, into which versions of skills, and what was left out."""
    own = [skill for skill in skills if skill.name in note.get("skills", [skill.name])]
    return note | {"skills": {str(skill.pk): skill.version for skill in own}}


def _require_lessons(project_id: UUID, lessons: Sequence[Lesson]) -> None:
    """Lock the lessons. Raises `Stale` when one was deleted with its session: it must not be written any more."""
    _lock_sessions(project_id, lessons)
    keys = [lesson.pk for lesson in lessons]
    rows = Lesson.objects.within(project_id).select_for_update(of=("self",))
    if len(rows.filter(pk__in=keys, state=LessonState.WRITING)) < len(keys):
        raise Stale


def _replay_on_current(
    space: LearningSpace, skills: Sequence[WorkspaceSkill], workspace: Workspace
) -> tuple[Workspace, list[WorkspaceSkill]]:
    """Lock the touched skills and replay the edits on their current versions. Raises `Stale`."""
    touched = [skill.pk for skill in workspace.changed if skill.pk is not None]
    list(
        Skill.objects.within(space.account_id)
        .select_for_update(no_key=True)
        .filter(pk__in=touched)
        .order_by("pk")
    )
    fresh = load_workspace_skills(space)
    if [(skill.pk, skill.version) for skill in skills] == [(skill.pk, skill.version) for skill in fresh]:
        return workspace, fresh
    try:
        return workspace.replay_on(skill.copy() for skill in fresh), fresh
    except RefusedAction as refusal:
        raise Stale from refusal


def _queue_next_run(space: LearningSpace) -> None:
    """Queue another run for lessons that arrived during this one."""
    waiting = Lesson.objects.within(space.project_id).filter(space=space, state=LessonState.WAITING)
    if waiting.exists():
        queue_learning(space)


def give_up(scope: Scope, space_id: UUID) -> None:
    """Mark the lessons of a run that failed for good as failed, and queue another run for the rest."""
    with tenant_scope(scope), transaction.atomic():
        space = _lock_space(scope.project, space_id) if scope.project else None
        if space is None:
            return
        rows = Lesson.objects.within(space.project_id).filter(space=space)
        stuck = list(rows.filter(state=LessonState.WRITING).order_by("created_at", "id"))
        stuck = stuck or list(
            rows.filter(state=LessonState.WAITING).order_by("created_at", "id")[: 1 + MOST_OTHERS]
        )
        _mark_lessons(space.project_id, stuck, LessonState.FAILED)
        if rows.filter(state=LessonState.WAITING).exists():
            _write_task(space)  # `queue_learning` might take the failing task for one that waits
