"""From the Authorization header to the key, and so to project and account. Nothing else chooses a tenant."""

from __future__ import annotations

from tenancy.errors import KeyMalformed, KeyRequired
from tenancy.keys.keys import recognise_key
from tenancy.models import ApiKey

SCHEMES = frozenset({"token", "bearer"})


def authenticate_key(authorization: str) -> ApiKey:
    """The live key that the header shows.

    Raises `KeyRequired` without a header, `KeyMalformed` for another scheme or a bare key, `KeyInvalid` for a
    key that is unknown, expired or revoked.
    """
    return recognise_key(key_in_header(authorization))


def key_in_header(authorization: str) -> str:
    """What stands where the key belongs. Raises `KeyRequired` and `KeyMalformed` as `authenticate_key` does."""
    words = authorization.split(maxsplit=1)
    if not words:
        raise KeyRequired
    if len(words) < 2 or words[0].lower() not in SCHEMES:
        raise KeyMalformed("write `Authorization: Token mpg-...`")
    return words[1].strip()
