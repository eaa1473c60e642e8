"""The date that lessons of a session carry."""

from __future__ import annotations

from datetime import date

from django.utils import timezone

from skills.models import Session

ORIGINAL_DATE = "original_date"


def get_session_day(session: Session) -> date:
    """The day that the client says the session is of, for talks that were imported; else that of its last message."""
    original = (session.configs or {}).get(ORIGINAL_DATE)
    try:
        return date.fromisoformat(original) if isinstance(original, str) else _get_session_day(session)
    except ValueError:
        return _get_session_day(session)


def _get_session_day(session: Session) -> date:
    return timezone.localdate(session.updated_at)
