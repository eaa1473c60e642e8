"""When an API key stops working: revoked, expired, or shown with the secret before a rotation whose overlap is over."""

from __future__ import annotations

from typing import Literal

from django.utils import timezone

from tenancy.models import ApiKey

KeyState = Literal["active", "rotating", "expired", "revoked"]


def is_live(key: ApiKey) -> bool:
    """Return whether requests with the key are answered; `shown_until` ends the secret before a rotation."""
    ends = [end for end in (key.expires_at, key.shown_until) if end is not None]
    return key.revoked_at is None and (not ends or min(ends) > timezone.now())


def is_rotating(key: ApiKey) -> bool:
    """Return whether the secret before the last rotation still works beside the new one."""
    return is_live(key) and key.old_until is not None and key.old_until > timezone.now()


def get_state(key: ApiKey) -> KeyState:
    if key.revoked_at is not None:
        return "revoked"
    if not is_live(key):
        return "expired"
    return "rotating" if is_rotating(key) else "active"
