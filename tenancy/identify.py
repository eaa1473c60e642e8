"""From the Authorization header to the key, and so to project and account. Nothing else chooses a tenant."""

from __future__ import annotations

from tenancy.errors import DeletionForbidden, KeyInvalid, KeyMalformed, KeyRequired
from tenancy.keys import recognise
from tenancy.models import ApiKey

SCHEMES = frozenset({"token", "bearer"})


def identify(authorization: str) -> ApiKey:
    """The live key that the header shows.

    Raises `KeyRequired` without a header, `KeyMalformed` for another scheme or a bare key, `KeyInvalid` for a
    key that is unknown, expired or revoked.
    """
    words = authorization.split(maxsplit=1)
    if not words:
        raise KeyRequired
    if len(words) < 2 or words[0].lower() not in SCHEMES:
        raise KeyMalformed("write `Authorization: Token mpg-...`")
    return recognise(words[1].strip())


def require_scope(key: ApiKey, scope: str) -> None:
    """Raises unless the key may do this: in words, so that the reader knows which key to take instead."""
    if "all" in key.scopes or scope in key.scopes:
        return
    if scope == "delete":
        raise DeletionForbidden("this key has no delete scope")
    raise KeyInvalid(f"this key has no {scope} scope")
