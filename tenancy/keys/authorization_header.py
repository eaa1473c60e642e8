"""Read the API key from the Authorization header. Nothing else selects a tenant."""

from __future__ import annotations

from tenancy.errors import KeyMalformed, KeyRequired

SCHEMES = frozenset({"token", "bearer"})


def read_key_from_header(authorization: str) -> str:
    """The text of the key in the header.

    Raises `KeyRequired` without a header, and `KeyMalformed` for another scheme or a bare key.
    """
    words = authorization.split(maxsplit=1)
    if not words:
        raise KeyRequired
    if len(words) < 2 or words[0].lower() not in SCHEMES:
        raise KeyMalformed("write `Authorization: Token mpg-...`")
    return words[1].strip()
