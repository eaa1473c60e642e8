"""Schedule the reading of a session: soon after its last message, or when many messages wait.

The moment is the `due_at` of one task of the outbox: each message moves it, a restart forgets nothing, and of the
tasks of one session only the oldest runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from memories.jobs import outbox
from memories.models import Task
from memories.models.task import OPEN_STATES
from memories.values import TaskKind, TaskState
from skills.models import Session, SessionMessage
from skills.sessions.records import restart_record
from skills.values import MessageState
from tenancy.ids import uuid7

IDLE = timedelta(seconds=8)
# So many unread messages are read without waiting for more.
MANY = 16


@dataclass(frozen=True, slots=True)
class ObservedCounts:
    """Numbers of a session's tracked messages that were read, are being read, and wait."""

    observed: int
    in_process: int
    pending: int

    @property
    def unread(self) -> int:
        return self.in_process + self.pending


def schedule_observation(session: Session) -> None:
    """Schedule the reading, in the transaction that stored a message.

    The caller holds the session's lock and saves the row.
    """
    now = timezone.now()
    is_full = list_session_messages(session).filter(state=MessageState.PENDING).count() >= MANY
    session.idle_at = now if is_full else now + IDLE
    observe_at(session, session.idle_at)
    restart_record(session)


def observe_at(session: Session, due_at: datetime) -> None:
    """Moves the task that waits, or writes one, in the caller's transaction and under the session's lock.

    A task that runs has read what it reads: what comes now is for the next.
    """
    waiting = list_observations(session).filter(state__in=[TaskState.QUEUED, TaskState.WAITING])
    known: UUID | None = waiting.order_by("-created_at").values_list("pk", flat=True).first()
    # A worker may have taken it a moment ago.
    if known is not None and waiting.filter(pk=known).update(due_at=due_at, announced_at=None):
        outbox.announce_on_commit(known, TaskKind.OBSERVE, due_at)
        return
    outbox.write_work(
        session.account_id,
        project_id=session.project_id,
        kind=TaskKind.OBSERVE,
        dedupe_key=uuid7().hex,
        payload={},
        subject=session.pk,
        due_at=due_at,
    )


def list_observations(session: Session) -> QuerySet[Task]:
    """The tasks that are to read the session, or do."""
    rows: QuerySet[Task] = Task.objects.within(session.project_id)
    return rows.filter(subject=session.pk, kind=TaskKind.OBSERVE, state__in=OPEN_STATES)


def count_observed(session: Session) -> ObservedCounts:
    """Count read and unread messages, inside the session's tenant scope."""
    counts = list_session_messages(session).aggregate(
        observed=Count("pk", filter=Q(state=MessageState.SUCCESS)),
        in_process=Count("pk", filter=Q(state=MessageState.RUNNING)),
        pending=Count("pk", filter=Q(state=MessageState.PENDING)),
    )
    return ObservedCounts(**counts)


def list_session_messages(session: Session) -> QuerySet[SessionMessage]:
    rows: QuerySet[SessionMessage] = SessionMessage.objects.within(session.project_id)
    return rows.filter(session=session)
