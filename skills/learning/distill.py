"""The distill task: turn a finished session task into lessons for the skills of the session's space.

The talk is read in one transaction, thought about outside of any, and the lessons are written in another under the
fence of the claim. A task that was taken up again meanwhile is left to its next distillation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memories.engine.protocols import ProviderRefused
from memories.jobs import outbox
from memories.models import Task
from skills.learning.dates import get_session_day
from skills.learning.distill_engine import DistillationCase, Distilled, distill_case
from skills.learning.learn import queue_learning
from skills.models import LearningRecord, LearningSpace, Lesson, Session, SessionMessage, SessionTask, Skill
from skills.paging import PageWindow, read_window
from skills.reading.talk import build_talk_message
from skills.sessions.planning import NOWHERE, load_planning
from skills.sessions.records import record_failure, update_status
from skills.sessions.session_message_files import ROW_BYTES
from skills.values import Distilling, SessionTaskState
from tenancy.isolation.scoping import Scope, tenant_scope

# Of one task; the first says what it is for, the last how it went.
MOST_MESSAGES = 200


@dataclass(frozen=True, slots=True)
class DistillationInput:
    """The input of a distillation; `last` is the position of the last message it reads."""

    case: DistillationCase
    session: UUID
    last: int


def distill(task: Task) -> None:
    """Does the whole of a distill task. Raises `outbox.LeaseLost` when the task was lost meanwhile."""
    scope = Scope(task.account_id, task.project_id)
    with tenant_scope(scope):
        matter = _load_matter(task)
        if matter is None:
            _end_without_lessons(task)
            return
    try:
        distilled = distill_case(scope, matter.case)
    except ProviderRefused:
        # Nobody will ask again by itself: what waits for this must hear of it.
        give_up(scope, task.subject)
        raise
    with tenant_scope(scope):
        row = _lock_session_task(task)
        if row is None:
            _end_without_lessons(task)
            return
        count = _write_lessons(row, matter, distilled)
        outbox.complete(task, {"lessons": count, "distilled_by": distilled.by})
        update_status(row.project_id, row.session_id)


def _lock_session_task(task: Task) -> SessionTask | None:
    """The session's task, locked after its space; None when it is gone, or was finished once more since."""
    rows = SessionTask.objects.within(task.project_id)
    plain = rows.filter(pk=task.subject).values_list("session", flat=True).first()
    record = LearningRecord.objects.within(task.project_id).filter(session=plain).first()
    if record is not None:
        spaces = LearningSpace.objects.within(task.project_id).select_for_update(no_key=True)
        spaces.filter(pk=record.space_id).first()
    _lock_session(task.own_project, plain)
    wanted = {"pk": task.subject, "distilled": task.payload["turn"], "distilling": Distilling.WAITING}
    row: SessionTask | None = rows.select_for_update(no_key=True).filter(**wanted).first()
    return row


def _lock_session(project_id: UUID, session_id: UUID | None) -> None:
    """Lock the session before its tasks, in the same order as its deletion."""
    Session.objects.within(project_id).select_for_update(no_key=True).filter(pk=session_id).first()


def _end_without_lessons(task: Task) -> None:
    """End the task without lessons: it is not wanted any more, or its session is in no space."""
    row = _lock_session_task(task)
    if row is not None:
        _mark_task(row, Distilling.DONE)
    outbox.complete(task, {"lessons": 0})
    if row is not None:
        update_status(row.project_id, row.session_id)


def _mark_task(row: SessionTask, state: Distilling) -> None:
    row.distilling = state.value
    row.save(update_fields=["distilling", "data"])


def _load_matter(task: Task) -> DistillationInput | None:
    row = _lock_session_task(task)
    record = _find_record(row) if row is not None else None
    if row is None or record is None:
        return None
    since = load_planning(row.session).taught_until if row.is_planning else NOWHERE
    own = SessionMessage.objects.within(row.project_id).filter(task=row, position__gt=since)
    newest = PageWindow(MOST_MESSAGES, is_newest_first=True)
    page = read_window(own, newest, by="position", size=ROW_BYTES)
    messages = [build_talk_message(message) for message in page.rows[::-1]]
    tasks = SessionTask.objects.within(row.project_id).filter(session=row.session_id, is_planning=False)
    skills = Skill.objects.within(row.account_id).filter(links__space=record.space_id)
    case = DistillationCase(
        "" if row.is_planning else row.data.get("task_description", ""),
        row.status != SessionTaskState.FAILED,
        row.data.get("progresses", []),
        messages,
        load_planning(row.session).preferences,
        [
            (other.data.get("task_description", ""), other.status)
            for other in tasks.exclude(pk=row.pk).order_by("order")
        ],
        list(skills.order_by("links__created_at").values_list("name", "description")),
    )
    return DistillationInput(case, row.session_id, messages[-1].position if messages else since)


def _find_record(row: SessionTask) -> LearningRecord | None:
    rows = LearningRecord.objects.within(row.project_id).select_related("space", "session")
    record: LearningRecord | None = rows.filter(session=row.session_id).first()
    return record


def _write_lessons(row: SessionTask, matter: DistillationInput, distilled: Distilled) -> int:
    """The lessons, and that the task is dealt with: both or neither."""
    record = _find_record(row)
    if row.is_planning:
        row.data = {**row.data, "told_to": matter.last}
    row.data = {**row.data, "distilled_by": distilled.by}
    _mark_task(row, Distilling.DONE)
    if record is None or not distilled.findings:
        return 0
    _store_lessons(record, row, distilled)
    queue_learning(record.space)
    return len(distilled.findings)


def _store_lessons(record: LearningRecord, row: SessionTask, distilled: Distilled) -> Sequence[Lesson]:
    session: Session = record.session
    return [
        Lesson.objects.create(
            account_id=row.account_id,
            project_id=row.project_id,
            space=record.space,
            session=session,
            task=row,
            kind=finding.kind,
            content=finding.content,
            said_on=get_session_day(session),
        )
        for finding in distilled.findings
    ]


def give_up(scope: Scope, task_id: UUID) -> None:
    """A distillation that cannot be done: its session is learned without it, and says that a step failed."""
    with tenant_scope(scope):
        rows = SessionTask.objects.within(scope.project)
        if scope.project is not None:
            _lock_session(scope.project, rows.filter(pk=task_id).values_list("session", flat=True).first())
        waiting = rows.select_for_update(no_key=True).filter(pk=task_id, distilling=Distilling.WAITING)
        row = waiting.first()
        if row is not None:
            _mark_task(row, Distilling.FAILED)
            record_failure(row.project_id, row.session_id, "a task could not be analysed")
