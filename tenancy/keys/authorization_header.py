"""Find the key, project and account of the Authorization header. Nothing else selects a tenant."""

from __future__ import annotations

from tenancy.errors import KeyMalformed, KeyRequired
from tenancy.keys.keys import recognise_key
from tenancy.models import ApiKey

SCHEMES = frozenset({"token", "bearer"})


def authenticate_key(authorization: str) -> ApiKey:
    """The live key in the header.

    Raises `KeyRequired` without a header, `KeyMalformed` for another scheme or a bare key, `KeyInvalid` for a
    key that is unknown, expired or revoked.
    """
    return recognise_key(read_key_from_header(authorization))


def read_key_from_header(authorization: str) -> str:
    """The text of the key in the header. Raises `KeyRequired` and `KeyMalformed` like `authenticate_key`."""
    words = authorization.split(maxsplit=1)
    if not words:
        raise KeyRequired
    if len(words) < 2 or words[0].lower() not in SCHEMES:
        raise KeyMalformed("write `Authorization: Token mpg-...`")
    return words[1].strip()
