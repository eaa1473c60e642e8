"""Secrets of tenants at rest: sealed by a key of the installation, bound to the place they are kept for.

The first of `ENCRYPTION_KEYS` seals, all of them open: a new one is put before the old one, `manage.py reseal` is run,
and the old one is taken out.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

NONCE = 12


class EncryptionUnavailable(Exception):
    """The installation has no key to seal with."""


class DecryptionFailed(Exception):
    """The key it was sealed by is gone, or it was kept for another place, or changed."""


@dataclass(frozen=True, slots=True)
class EncryptedSecret:
    """`key_id` names the key without telling anything of it."""

    key_id: str
    content: bytes


def encrypt(secret: str, place: str) -> EncryptedSecret:
    """Raises `EncryptionUnavailable`."""
    keys: list[str] = settings.ENCRYPTION_KEYS
    if not keys:
        raise EncryptionUnavailable
    nonce = secrets.token_bytes(NONCE)
    content = nonce + AESGCM(_bytes_of(keys[0])).encrypt(nonce, secret.encode(), place.encode())
    return EncryptedSecret(key_id(keys[0]), content)


def decrypt(sealed: EncryptedSecret, place: str) -> str:
    """Raises `DecryptionFailed`."""
    known = {key_id(key): key for key in settings.ENCRYPTION_KEYS}
    if sealed.key_id not in known:
        raise DecryptionFailed
    nonce, content = sealed.content[:NONCE], sealed.content[NONCE:]
    try:
        return AESGCM(_bytes_of(known[sealed.key_id])).decrypt(nonce, content, place.encode()).decode()
    except (InvalidTag, ValueError):
        raise DecryptionFailed from None


def is_newest_key(sealed: EncryptedSecret) -> bool:
    keys: list[str] = settings.ENCRYPTION_KEYS
    return bool(keys) and sealed.key_id == key_id(keys[0])


def key_id(key: str) -> str:
    return hashlib.sha256(b"engram key id:" + key.encode()).hexdigest()[:16]


def _bytes_of(key: str) -> bytes:
    """256 bits of any long random text."""
    return hashlib.sha256(b"engram sealing:" + key.encode()).digest()
