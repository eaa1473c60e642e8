"""Progress of reading a session, and waiting for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.utils import timezone

from skills.sessions.debounce import ObservedCounts, count_observed, list_session_messages, observe_at
from skills.sessions.sessions import find_session
from skills.values import MessageState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.runtime.waits import hold_wait

DONE, WAITING = 200, 202
# The published client gives up after 32 s.
FLUSH_SECONDS = 25.0
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.2


@dataclass(frozen=True, slots=True)
class Flushed:
    """`status` is 200 when nothing waits; else `reason` says what does."""

    status: int
    reason: str = ""


def get_observing_status(project: Project, session_id: UUID) -> ObservedCounts:
    """Cheap, and without effects: clients ask once a second. Raises `NotFound`."""
    with tenant_scope(project):
        return count_observed(find_session(project, session_id))


def flush_session(project: Project, session_id: UUID, seconds: float = FLUSH_SECONDS) -> Flushed:
    """Has a worker read the messages now, and waits for it without holding a transaction. Raises `NotFound`.

    Messages that come meanwhile are not waited for. Where too many requests wait already, nothing is.
    """
    last = _hurry_observation(project, session_id)
    if last is None:
        return Flushed(DONE)
    with hold_wait(project.account_id) as may_wait:
        until, pause = time.monotonic() + (seconds if may_wait else 0), FIRST_PAUSE
        while True:
            unread, failed = _count_unread(project, session_id, last)
            if not unread:
                return _build_flush_result(failed)
            if time.monotonic() >= until:
                break
            # A waiting request must not hold a connection of the pool for all that time.
            connection.close()
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
    return Flushed(WAITING, f"{unread} messages are being read still; ask for the observing status")


def _build_flush_result(failed: int) -> Flushed:
    return Flushed(500, f"{failed} messages could not be read") if failed else Flushed(DONE)


def _hurry_observation(project: Project, session_id: UUID) -> int | None:
    """The position of the last unread message; None when there is none."""
    with tenant_scope(project):
        session = find_session(project, session_id, is_locked=True)
        unread = list_session_messages(session).filter(state__in=[MessageState.PENDING, MessageState.RUNNING])
        last: int | None = unread.order_by("-position").values_list("position", flat=True).first()
        if unread.filter(state=MessageState.PENDING).exists():
            session.idle_at = timezone.now()
            session.save(update_fields=["idle_at"])
            observe_at(session, session.idle_at)
    return last


def _count_unread(project: Project, session_id: UUID, last: int) -> tuple[int, int]:
    """Count how many messages up to this one are unread, and how many of the newest could not be read."""
    with tenant_scope(project):
        states = list_session_messages(find_session(project, session_id)).filter(position__lte=last)
        unread = states.filter(state__in=[MessageState.PENDING, MessageState.RUNNING]).count()
        failed = 0 if unread else states.filter(state=MessageState.FAILED, position=last).count()
    return unread, failed
