"""Slots for costly work: so much of one account at the same time in this process, whatever other accounts do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from uuid import UUID

from tenancy.errors import RateLimited

RETRY_SECONDS = 1


class AccountSlots:
    """At most `most` concurrent holders in each account; further ones are refused with `refusal`."""

    def __init__(self, most: int, refusal: str) -> None:
        self._most, self._refusal = most, refusal
        self._lock = Lock()
        self._held: Counter[UUID] = Counter()

    @contextmanager
    def hold(self, account: UUID) -> Iterator[None]:
        """Raises `RateLimited` where the account holds all of its slots."""
        with self._lock:
            if self._held[account] >= self._most:
                raise RateLimited(self._refusal, retry_after=RETRY_SECONDS)
            self._held[account] += 1
        try:
            yield
        finally:
            with self._lock:
                self._held[account] -= 1
                if not self._held[account]:
                    del self._held[account]
