"""Keyed digests: what must be recognised again and must not be readable, such as whom somebody erased."""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import salted_hmac


def digest_of(purpose: str, text: str) -> str:
    """HMAC-SHA256 in 64 hexadecimal digits, by the secret of the installation; unlike that of any other purpose."""
    return digests_of(purpose, text)[0]


def digests_of(purpose: str, text: str) -> list[str]:
    """The same by every secret that is still known, the newest first: to look for what was kept before a change."""
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [
        salted_hmac(f"engram.{purpose}", text, secret=secret, algorithm="sha256").hexdigest()
        for secret in secrets
    ]
