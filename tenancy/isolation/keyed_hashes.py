"""Keyed digests of values that must be recognised again but not readable, such as the id of an erased user."""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import salted_hmac


def compute_digest(purpose: str, text: str) -> str:
    """HMAC-SHA256 as 64 hexadecimal digits, keyed by the installation's secret; digests differ between purposes."""
    return compute_digests(purpose, text)[0]


def compute_digests(purpose: str, text: str) -> list[str]:
    """The digests by every known secret, newest first: to look up values stored before a rotation."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [
        salted_hmac(f"engram.{purpose}", text, secret=secret, algorithm="sha256").hexdigest()
        for secret in secrets
    ]
