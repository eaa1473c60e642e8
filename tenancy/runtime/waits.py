"""Requests that wait for a worker: a bounded part of the threads, so that they keep none from requests that compute.

A request that waits takes no time of the processor, only its thread, and those are shared out by number: without a
bound the waiting requests of two accounts would hold all of them while workers are slow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from uuid import UUID

from django.conf import settings

# Of `settings.WEB_THREADS`: of one account, and of all together.
SHARE_OF_ACCOUNT, SHARE_OF_ALL = 1 / 8, 1 / 2

_lock = Lock()
_waiting: Counter[UUID] = Counter()


@contextmanager
def hold_wait(account: UUID) -> Iterator[bool]:
    """Return whether the request may wait; if so, it counts as waiting until the context ends. Per web process."""
    may_wait = _begin_wait(account)
    try:
        yield may_wait
    finally:
        if may_wait:
            _end_wait(account)


def _begin_wait(account: UUID) -> bool:
    with _lock:
        may_wait = (
            _waiting[account] < max(1, settings.WEB_THREADS * SHARE_OF_ACCOUNT)
            and _waiting.total() < settings.WEB_THREADS * SHARE_OF_ALL
        )
        _waiting[account] += may_wait
        return may_wait


def _end_wait(account: UUID) -> None:
    with _lock:
        _waiting[account] -= 1
        if not _waiting[account]:
            del _waiting[account]
