"""The date that lessons of a session carry."""

from __future__ import annotations

from datetime import date

from django.utils import timezone

from skills.models import Session
from skills.sessions.debounce import list_session_messages

ORIGINAL_DATE = "original_date"


def get_session_day(session: Session) -> date:
    """The day that the client says the session is of, for talks that were imported; else that of its last message.

    Inside the tenant's scope.
    """
    original = (session.configs or {}).get(ORIGINAL_DATE)
    try:
        return date.fromisoformat(original) if isinstance(original, str) else _get_session_day(session)
    except ValueError:
        return _get_session_day(session)


def _get_session_day(session: Session) -> date:
    # Not the session's `updated_at`, which moves with its configs.
    messages = list_session_messages(session).order_by("-position")
    said_at = messages.values_list("created_at", flat=True).first()
    return timezone.localdate(said_at or session.created_at)
