"""When a session's messages are to be read together, and whether they have been."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from skills.models import Session, SessionMessage
from skills.values import MessageState

IDLE = timedelta(seconds=8)
DONE, WAITING = 200, 202


@dataclass(frozen=True, slots=True)
class Observed:
    """How many of a session's tracked messages were read, are being read, and wait."""

    observed: int
    in_process: int
    pending: int


@dataclass(frozen=True, slots=True)
class Flushed:
    """`status` is 200 when nothing waits; else `reason` says what does."""

    status: int
    reason: str = ""


def schedule_observation(session: Session) -> None:
    """Says when the session will have been quiet for long enough, in the transaction that stored a message of it.

    The caller holds the session's lock and saves the row. Each message moves the moment. No worker reads sessions in
    this release: the moment is kept, and the messages stay pending.
    """
    session.idle_at = timezone.now() + IDLE


def observed(session: Session) -> Observed:
    """Inside the session's scope."""
    counts = _messages(session).aggregate(
        observed=Count("pk", filter=Q(state=MessageState.SUCCESS)),
        in_process=Count("pk", filter=Q(state=MessageState.RUNNING)),
        pending=Count("pk", filter=Q(state=MessageState.PENDING)),
    )
    return Observed(**counts)


def flush(session: Session) -> Flushed:
    """Inside the session's scope. Reads nothing itself in this release, and says so while messages wait."""
    count = observed(session)
    waiting = count.pending + count.in_process
    if not waiting:
        return Flushed(DONE)
    return Flushed(WAITING, f"{waiting} messages are stored and wait: this server does not read sessions yet")


def _messages(session: Session) -> QuerySet[SessionMessage]:
    rows: QuerySet[SessionMessage] = SessionMessage.objects.within(session.project_id)
    return rows.filter(session=session)
