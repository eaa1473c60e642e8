"""Delete ended sessions, and the devices that people were shown for them."""

from __future__ import annotations

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

# So many in a transaction.
BATCH = 1_000
# A session's row is written a moment before the device's or after it.
YOUNG = timedelta(hours=1)


def clear_sessions() -> int:
    """Delete expired sessions; return how many rows were deleted. May be killed at any time: what is left is left to
    the next round."""
    now = timezone.now()
    ended = _delete_batches(Session.objects.filter(expire_date__lt=now))
    live = Session.objects.filter(session_key=OuterRef("session_key"))
    return ended + _delete_batches(UserSession.objects.filter(~Exists(live), last_seen_at__lt=now - YOUNG))


def _delete_batches(rows: QuerySet[Session] | QuerySet[UserSession]) -> int:
    cleared = 0
    while True:
        batch = list(rows.values_list("pk", flat=True)[:BATCH])
        rows.model.objects.filter(pk__in=batch).delete()
        cleared += len(batch)
        if len(batch) < BATCH:
            return cleared
