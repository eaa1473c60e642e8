"""Rate limit for unknown API keys by client address, against guessing.

Only whole keys with a right checksum come here; a mistyped one costs nothing and counts nothing. Keys that this
process knows are let through from a blocked address too: somebody else may sit behind it.
"""

from __future__ import annotations

import time

from tenancy.errors import KeyInvalid, RateLimited
from tenancy.keys.keys import is_key_cached, is_well_formed_key, recognise_key
from tenancy.metering.rate_limits import count_guess
from tenancy.models import ApiKey
from tenancy.runtime.ttl_cache import LockedTTLCache

MOST_A_MINUTE = 30
BLOCK_SECONDS = 60.0
MOST_BLOCKED = 10_000


class _UnknownKeyLimiter:
    """Counts in the shared store; blocked addresses are kept per process, so that valid keys need no lookup."""

    def __init__(self) -> None:
        # The moment at which each block ends.
        self._blocked = LockedTTLCache[str, float](MOST_BLOCKED, BLOCK_SECONDS)

    def note(self, address: str) -> None:
        if address and not count_guess(address, MOST_A_MINUTE):
            self._blocked.put(address, time.monotonic() + BLOCK_SECONDS)

    def refuse(self, address: str) -> None:
        """Raises `RateLimited` while the address is blocked."""
        until = self._blocked.get(address)
        if until is not None:
            left = max(until - time.monotonic(), 0.001)
            raise RateLimited("too many unknown API keys from this address", retry_after=left)


_guesses = _UnknownKeyLimiter()


def recognise_key_from(address: str, plaintext: str) -> ApiKey:
    """Look up a key like `recognise_key`, and count unknown ones against the client address.

    Raises `RateLimited` where too many unknown ones were shown, unless this process has met the key.
    """
    if not is_key_cached(plaintext):
        _guesses.refuse(address)
    try:
        return recognise_key(plaintext)
    except KeyInvalid:
        if is_well_formed_key(plaintext) and not is_key_cached(plaintext):
            _guesses.note(address)
        raise
