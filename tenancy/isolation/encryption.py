"""Encryption of tenants' secrets at rest, with a key of the installation and bound to the place they are stored in.

The first of `ENCRYPTION_KEYS` encrypts, all of them decrypt: a new one is put before the old one, `manage.py reseal` is
run, and the old one is taken out.
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
    """The installation has no encryption key."""


class DecryptionFailed(Exception):
    """The encryption key is gone, or the ciphertext was changed or belongs to another place."""


@dataclass(frozen=True, slots=True)
class EncryptedSecret:
    """`key_id` identifies the encryption key without revealing anything of it."""

    key_id: str
    content: bytes


def encrypt(secret: str, place: str) -> EncryptedSecret:
    """Encrypt a secret. Raises `EncryptionUnavailable`."""
    keys: list[str] = settings.ENCRYPTION_KEYS
    if not keys:
        raise EncryptionUnavailable
    nonce = secrets.token_bytes(NONCE)
    content = nonce + AESGCM(_derive_key(keys[0])).encrypt(nonce, secret.encode(), place.encode())
    return EncryptedSecret(derive_key_id(keys[0]), content)


def decrypt(encrypted: EncryptedSecret, place: str) -> str:
    """Decrypt a secret. Raises `DecryptionFailed`."""
    known = {derive_key_id(key): key for key in settings.ENCRYPTION_KEYS}
    if encrypted.key_id not in known:
        raise DecryptionFailed
    nonce, content = encrypted.content[:NONCE], encrypted.content[NONCE:]
    try:
        return AESGCM(_derive_key(known[encrypted.key_id])).decrypt(nonce, content, place.encode()).decode()
    except (InvalidTag, ValueError):
        raise DecryptionFailed from None


def is_newest_key(encrypted: EncryptedSecret) -> bool:
    keys: list[str] = settings.ENCRYPTION_KEYS
    return bool(keys) and encrypted.key_id == derive_key_id(keys[0])


def derive_key_id(key: str) -> str:
    return hashlib.sha256(b"engram key id:" + key.encode()).hexdigest()[:16]


def _derive_key(key: str) -> bytes:
    """Derive a 256-bit key from any long random text."""
    return hashlib.sha256(b"engram sealing:" + key.encode()).digest()
