"""Learn task: write waiting lessons into the files of a space's skills, one run at a time, each lesson once.

A run takes lessons, thinks outside of any transaction, and writes skills and lessons together in one. Whatever it was
thinking about may have changed meanwhile: its edits are made again on the skills as they are then, and where they fit
no longer it thinks again.
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
from skills.learning.workspace.stored_skills import Signature, embed_changed_skills, open_books, save_books
from skills.learning.workspace.workspace import Book, Workspace
from skills.learning.writing_engine import Written, write_lessons
from skills.models import LearningSpace, Lesson, Session, Skill
from skills.reading.task_board import RefusedAction
from skills.sessions.records import keep_status
from skills.values import LessonState
from tenancy.isolation.scoping import Scope, tenant_scope

log = logging.getLogger(__name__)

# A run begins with the lesson that waited longest and takes so many others along.
MOST_OTHERS = 4
# So often a run thinks again on skills that somebody else changed, before it lets others have their turn.
TRIES = 3
LEARNING = [LessonState.WAITING, LessonState.WRITING]


class Stale(Exception):
    """The skills are no longer those that were thought about."""


def queue_learning(space: LearningSpace) -> None:
    """Has the lessons of the space that wait written, in the transaction that stored them.

    one unclaimed task is enough: its run reads the lessons under the lock taken here.
    """
    LearningSpace.objects.within(space.project_id).select_for_update(no_key=True).filter(pk=space.pk).first()
    unclaimed = [TaskState.QUEUED, TaskState.WAITING]
    tasks = Task.objects.within(space.project_id).filter(kind=TaskKind.LEARN, subject=space.pk)
    if not tasks.filter(state__in=unclaimed).exists():
        _write_task(space)


def _write_task(space: LearningSpace) -> None:
    outbox.write_work(
        space.account_id, space.project_id, TaskKind.LEARN, f"{space.pk}:{uuid4()}", {}, space.pk
    )


def learn(task: Task) -> None:
    """Does the whole of a learn task. Raises `outbox.LeaseLost` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    try:
        done = any(_try(task, scope) for _ in range(TRIES))
    except ProviderRefused:
        give_up(scope, task.subject)
        raise
    if not done:
        raise outbox.InputsChanged(str(task.pk))


def _try(task: Task, scope: Scope) -> bool:
    """False when the skills changed while they were thought about."""
    with tenant_scope(scope):
        lessons, books = _take(task)
        if not lessons:
            outbox.complete(task, {"lessons": 0})
            return True
    written = write_lessons(scope, lessons, books)
    vectors = embed_changed_skills(written.workspace, books)
    try:
        with tenant_scope(scope):
            _store(task, lessons, books, written, vectors)
    except Stale:
        log.info("learning_again", extra={"task": str(task.pk)})
        return False
    return True


def _take(task: Task) -> tuple[list[Lesson], list[Book]]:
    """The lessons of this run: those that a run was killed over come first, for they waited longest."""
    space = _lock_space(task.own_project, task.subject)
    if space is None:
        return [], []
    outbox.require_fence(task)
    rows = Lesson.objects.within(task.project_id).filter(space=space, state__in=LEARNING)
    lessons = list(rows.order_by("created_at", "id")[: 1 + MOST_OTHERS])
    _mark(task.own_project, lessons, LessonState.WRITING)
    return lessons, open_books(space)


def _lock_space(project_id: UUID, space_id: UUID) -> LearningSpace | None:
    rows = LearningSpace.objects.within(project_id).select_for_update(no_key=True, of=("self",))
    space: LearningSpace | None = rows.select_related("project", "person").filter(pk=space_id).first()
    return space


def _lock_sessions(project_id: UUID, lessons: Sequence[Lesson]) -> None:
    """After their space, as everybody does: who deletes a session takes its record and its lessons along."""
    keys = {lesson.session_id for lesson in lessons}
    rows = Session.objects.within(project_id).select_for_update(no_key=True)
    list(rows.filter(pk__in=keys).order_by("pk").values_list("pk"))


def _mark(project_id: UUID, lessons: Sequence[Lesson], state: LessonState) -> None:
    _lock_sessions(project_id, lessons)
    keys = [lesson.pk for lesson in lessons]
    Lesson.objects.within(project_id).filter(pk__in=keys).update(state=state, updated_at=timezone.now())
    _keep_statuses(project_id, lessons)


def _keep_statuses(project_id: UUID, lessons: Sequence[Lesson]) -> None:
    for session in sorted({lesson.session_id for lesson in lessons}):
        keep_status(project_id, session)


def _store(
    task: Task,
    lessons: Sequence[Lesson],
    books: Sequence[Book],
    written: Written,
    vectors: dict[str, list[float]],
) -> None:
    """Skills, lessons, records and the task's end, or nothing of it. Raises `Stale`."""
    space = _lock_space(task.own_project, task.subject)
    if space is None:
        outbox.complete(task, {"lessons": 0})
        return
    outbox.require_fence(task)
    _require_all(task.own_project, lessons)
    workspace, fresh = _as_now(space, books, written.workspace)
    skills = save_books(space, workspace, fresh, Signature(written.reason), vectors)
    for lesson in lessons:
        lesson.content = {**lesson.content, "learned": _note(written.notes[lesson.pk], skills)}
        lesson.state, lesson.updated_at = LessonState.WRITTEN.value, timezone.now()
        lesson.save(update_fields=["content", "state", "updated_at"])
    _go_on(space)
    _keep_statuses(task.own_project, lessons)
    outbox.complete(task, {"lessons": len(lessons), "skills": [str(skill.pk) for skill in skills]})


def _note(note: dict[str, Any], skills: Sequence[Skill]) -> dict[str, Any]:
    """What became of a lesson: by whom it was written, into which versions of skills, and what was left out."""
    own = [skill for skill in skills if skill.name in note.get("skills", [skill.name])]
    return note | {"skills": {str(skill.pk): skill.version for skill in own}}


def _require_all(project_id: UUID, lessons: Sequence[Lesson]) -> None:
    """Raises `Stale` when a lesson went with its session: what it said must not be written after that."""
    _lock_sessions(project_id, lessons)
    keys = [lesson.pk for lesson in lessons]
    rows = Lesson.objects.within(project_id).select_for_update(of=("self",))
    if len(rows.filter(pk__in=keys, state=LessonState.WRITING)) < len(keys):
        raise Stale


def _as_now(
    space: LearningSpace, books: Sequence[Book], workspace: Workspace
) -> tuple[Workspace, list[Book]]:
    """The edits on the skills as they are now, which nobody else can change until the end of the transaction."""
    touched = [book.pk for book in workspace.changed if book.pk is not None]
    list(
        Skill.objects.within(space.account_id)
        .select_for_update(no_key=True)
        .filter(pk__in=touched)
        .order_by("pk")
    )
    fresh = open_books(space)
    if [(book.pk, book.version) for book in books] == [(book.pk, book.version) for book in fresh]:
        return workspace, fresh
    try:
        return workspace.again(book.copy() for book in fresh), fresh
    except RefusedAction as refusal:
        raise Stale from refusal


def _go_on(space: LearningSpace) -> None:
    """What came while this run was at work is the next one's."""
    waiting = Lesson.objects.within(space.project_id).filter(space=space, state=LessonState.WAITING)
    if waiting.exists():
        queue_learning(space)


def give_up(scope: Scope, space_id: UUID) -> None:
    """A run that cannot be done fails the lessons it is about, and leaves the rest to the next."""
    with tenant_scope(scope), transaction.atomic():
        space = _lock_space(scope.project, space_id) if scope.project else None
        if space is None:
            return
        rows = Lesson.objects.within(space.project_id).filter(space=space)
        stuck = list(rows.filter(state=LessonState.WRITING).order_by("created_at", "id"))
        stuck = stuck or list(
            rows.filter(state=LessonState.WAITING).order_by("created_at", "id")[: 1 + MOST_OTHERS]
        )
        _mark(space.project_id, stuck, LessonState.FAILED)
        if rows.filter(state=LessonState.WAITING).exists():
            _write_task(space)  # the task that gives up may still stand there as unclaimed
