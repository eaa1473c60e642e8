"""What was thought out for a task, until the task is done.

While the embedder is away a task begins again every few seconds: the chat model that read its messages already is not
asked, and paid, each time. Kept by the process only, and for minutes: another process thinks for itself, and what an
end user said is not held here for long after it was erased.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock, Timer
from uuid import UUID

from memories.engine.metering import metering_usage
from memories.engine.protocols import Extraction
from tenancy.isolation.scoping import Scope

# Longer than a task waits for its next attempt, be it by the outage's pause or by the backoff of the last one.
KEPT_SECONDS = 120.0
_MOST = 64


class ExtractionCache:
    """The thoughts of this process. One that nobody asked for in this long is dropped by a timer: workers may idle."""

    def __init__(self, seconds: float = KEPT_SECONDS) -> None:
        self._seconds = seconds
        self._lock = Lock()
        self._kept: OrderedDict[UUID, tuple[float, Extraction]] = OrderedDict()
        self._broom: Timer | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, task: UUID) -> Extraction | None:
        with self._lock:
            found = self._kept.pop(task, None)
            if found is not None:
                self._keep(task, found[1])
        return found[1] if found else None

    def put(self, task: UUID, extraction: Extraction) -> None:
        with self._lock:
            self._keep(task, extraction)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
            if self._broom is None:
                self._sweep_later()

    def drop(self, task: UUID) -> None:
        with self._lock:
            self._kept.pop(task, None)

    def _keep(self, task: UUID, extraction: Extraction) -> None:
        self._kept[task] = (time.monotonic() + self._seconds, extraction)
        self._kept.move_to_end(task)

    def _sweep_later(self) -> None:
        self._broom = Timer(self._seconds / 2, self._sweep)
        self._broom.daemon = True
        self._broom.start()

    def _sweep(self) -> None:
        now = time.monotonic()
        with self._lock:
            for task in [task for task, (until, _) in self._kept.items() if until < now]:
                del self._kept[task]
            self._broom = None
            if self._kept:
                self._sweep_later()


_cache = ExtractionCache()


def extract_once(task: UUID, scope: Scope, think: Callable[[], Extraction]) -> Extraction:
    """What `think` says, or said before for the same task. What it spends is counted for the project."""
    known = _cache.get(task)
    if known is not None:
        return known
    with metering_usage(scope) as spent:
        extraction = think()
        if spent:
            _cache.put(task, extraction)
    return extraction


def drop_cached_extraction(task: UUID) -> None:
    """For a task that is done."""
    _cache.drop(task)
