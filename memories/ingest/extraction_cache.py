"""In-process cache of extractions, so that a retried task does not call the model again. TTL: 120 s.

While the embedder is unavailable, a task is retried every few seconds: without the cache each retry would pay for the
same model call (`benchmarks.work.outage_calls`). Entries live in one process for minutes, so that erased texts are not
held for long.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Timer
from uuid import UUID

from memories.engine.metering import metering_usage
from memories.engine.protocols import Extraction
from tenancy.isolation.scoping import Scope
from tenancy.runtime.ttl_cache import LockedTTLCache

# Longer than a task waits for its next attempt, be it by the outage's pause or by the backoff of the last one.
KEPT_SECONDS = 120.0
_MOST = 64


class ExtractionCache:
    """LRU cache by task id with a time to live in seconds. A timer drops expired entries, because workers may idle."""

    def __init__(self, seconds: float = KEPT_SECONDS) -> None:
        self._seconds = seconds
        self._kept = LockedTTLCache[UUID, Extraction](_MOST, seconds)
        self._lock = Lock()
        self._sweeper: Timer | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, task: UUID) -> Extraction | None:
        extraction = self._kept.get(task)
        if extraction is not None:
            self._kept.put(task, extraction)  # its time begins anew
        return extraction

    def put(self, task: UUID, extraction: Extraction) -> None:
        self._kept.put(task, extraction)
        with self._lock:
            if self._sweeper is None:
                self._sweep_later()

    def drop(self, task: UUID) -> None:
        self._kept.pop(task)

    def _sweep_later(self) -> None:
        self._sweeper = Timer(self._seconds / 2, self._drop_expired)
        self._sweeper.daemon = True
        self._sweeper.start()

    def _drop_expired(self) -> None:
        with self._lock:
            self._sweeper = None
            if len(self._kept):  # which drops those that have ended
                self._sweep_later()


_cache = ExtractionCache()


def extract_once(task: UUID, scope: Scope, extract: Callable[[], Extraction]) -> Extraction:
    """Return the cached extraction of the task, or call `extract`; its usage is metered for the project."""
    known = _cache.get(task)
    if known is not None:
        return known
    with metering_usage(scope) as spent:
        extraction = extract()
        if spent:
            _cache.put(task, extraction)
    return extraction


def drop_cached_extraction(task: UUID) -> None:
    """Drop the entry of a finished task."""
    _cache.drop(task)
