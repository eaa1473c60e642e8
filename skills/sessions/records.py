"""Status of a learning record, computed from current rows so that it cannot be outdated.

`completed` means that nothing of the session waits or runs: no message, no reading, no distillation, no lesson. The
row keeps the status for lists and for its time; `error` is why a step of the current batch of messages failed.
"""

from __future__ import annotations

from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from memories.models import Task
from memories.models.task import OPEN_STATES
from memories.values import TaskKind
from skills.models import LearningRecord, Lesson, Session, SessionMessage, SessionTask
from skills.values import Distilling, LearningState, LessonState, MessageState
from tenancy.models import Project

UNREAD = [MessageState.PENDING, MessageState.RUNNING]
# Messages of these states are never learned from.
LEFT_ALONE = [MessageState.DISABLE_TRACKING, MessageState.LIMIT_EXCEED]


def record_rows(project: Project | UUID) -> QuerySet[LearningRecord]:
    """Each with what is still to be done for its session. Inside the project's scope."""
    own = {"session": OuterRef("session")}
    messages = SessionMessage.objects.within(project).filter(**own)
    readings = Task.objects.within(project).filter(subject=OuterRef("session"), kind=TaskKind.OBSERVE)
    lessons = Lesson.objects.within(project).filter(**own)
    # A new message begins a new batch, and nothing else does: the session's own `updated_at` moves with its configs.
    later = SessionMessage.objects.within(project).filter(
        session=OuterRef("session"), created_at__gt=OuterRef("created_at")
    )
    rows: QuerySet[LearningRecord] = (
        LearningRecord.objects.within(project).select_related("session").defer("session__configs")
    )
    return rows.annotate(
        is_unread=Exists(messages.filter(state__in=UNREAD)),
        is_observed=Exists(readings.filter(state__in=OPEN_STATES)),
        is_distilled=Exists(SessionTask.objects.within(project).filter(**own, distilling=Distilling.WAITING)),
        is_waiting=Exists(lessons.filter(state=LessonState.WAITING)),
        is_written=Exists(lessons.filter(state=LessonState.WRITING)),
        is_unwritten=Exists(lessons.filter(~Exists(later), state=LessonState.FAILED)),
    )


def get_learning_status(record: LearningRecord) -> LearningState:
    """The learning status of a row of `record_rows`."""
    states = (
        ("is_unread", LearningState.PENDING),
        ("is_observed", LearningState.PENDING),
        ("is_distilled", LearningState.DISTILLING),
        ("is_written", LearningState.SKILL_WRITING),
        ("is_waiting", LearningState.QUEUED),
        ("error", LearningState.FAILED),
        ("is_unwritten", LearningState.FAILED),
    )
    return next((state for name, state in states if getattr(record, name)), LearningState.COMPLETED)


def with_current_status(record: LearningRecord) -> LearningRecord:
    """Give the record its current status, without saving it."""
    record.status = get_learning_status(record).value
    return record


def update_status(project: Project | UUID, session_id: UUID) -> None:
    """Save the learning status of a session, in the transaction of the step that changed it."""
    for record in record_rows(project).filter(session=session_id):
        status = get_learning_status(record).value
        if record.status != status:
            LearningRecord.objects.within(project).filter(pk=record.pk).update(
                status=status, updated_at=timezone.now()
            )


def record_failure(project: Project | UUID, session_id: UUID, reason: str) -> None:
    """Record that a step failed permanently; the error stays until new messages arrive."""
    rows = LearningRecord.objects.within(project).filter(session=session_id)
    rows.update(error=reason[:300], updated_at=timezone.now())
    update_status(project, session_id)


def restart_record(session: Session) -> None:
    """Reset status and error, because a new message begins a new batch."""
    rows = LearningRecord.objects.within(session.project_id).filter(session=session.pk)
    rows.update(status=LearningState.PENDING, error="", updated_at=timezone.now())
