"""Work that no answer waits for: put aside, done a moment later by one thread of the process.

What is put aside when a process is killed is lost, which is why nothing that must be counted belongs here. A
process that is asked to stop stores it first. Where more waits than may, the oldest is dropped, counted and logged;
a queue made with `keeps_all` drops nothing.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Any, Generic, TypeVar

from django.db import DatabaseError, close_old_connections
from psycopg_pool import PoolTimeout

log = logging.getLogger(__name__)

Item = TypeVar("Item")
MAX_WAITING = 5_000
BATCH = 200
# What comes within this time is stored together: one row at a time would hold the interpreter's lock, for as long as
# a search computes, just when the client of the answer sends its next request.
GATHERED_SECONDS = 0.2


@contextmanager
def log_database_errors(name: str, items: int) -> Iterator[None]:
    """What the database refuses inside is dropped and logged: one tenant's bad row costs no other tenant's."""
    try:
        yield
    except DatabaseError as trouble:
        _log_loss(name, trouble, items)
        close_old_connections()


def _log_loss(name: str, trouble: Exception, items: int) -> None:
    log.error("aside_lost", extra={"reason": name, "fault": type(trouble).__name__, "left": items})


_every: list[BackgroundWriter[Any]] = []


def flush_all_writers() -> None:
    """What every one of them still holds, before the process ends."""
    for aside in _every:
        aside.store_all()


class BackgroundWriter(Generic[Item]):
    """`store` gets what came together within `gathered` seconds, in order; a batch that the database refuses is dropped
    and logged. `keeps_all`: however much waits, none is dropped to make room."""

    def __init__(
        self,
        name: str,
        store: Callable[[list[Item]], None],
        gathered: float = GATHERED_SECONDS,
        *,
        keeps_all: bool = False,
    ) -> None:
        self._name = name
        self._store = store
        self._gathered = gathered
        self._most = None if keeps_all else MAX_WAITING
        self._begin()
        # A worker's child has no such thread, its parent's locks may be held for ever, and what waits is its parent's.
        os.register_at_fork(after_in_child=self._begin)
        _every.append(self)

    def _begin(self) -> None:
        self._waiting: deque[Item] = deque()
        self._dropped = 0
        self._bell = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

    def put(self, item: Item) -> None:
        with self._lock:
            is_first_loss = self._append(item) and self._dropped == 1
            self._bell.set()
            if self._thread is None or not self._thread.is_alive():
                self._start()
        if is_first_loss:  # of the rest, the next batch says how many they were
            log.error("aside_full", extra={"reason": self._name, "left": MAX_WAITING})

    def _append(self, item: Item) -> bool:
        """Whether another was dropped to make room."""
        self._waiting.append(item)
        if self._most is None or len(self._waiting) <= self._most:
            return False
        self._waiting.popleft()
        self._dropped += 1
        return True

    def _start(self) -> None:
        self._thread = Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            self._bell.wait()
            time.sleep(self._gathered)
            self._bell.clear()
            self.store_all()

    def store_all(self) -> None:
        self._report_dropped()
        while items := self._take():
            self._store_batch(items)
            self._report_dropped()

    def _report_dropped(self) -> None:
        with self._lock:
            dropped, self._dropped = self._dropped, 0
        if dropped:
            log.error("aside_dropped", extra={"reason": self._name, "count": dropped})

    def _take(self) -> list[Item]:
        with self._lock:  # at the end of a process, two threads may come for the same
            return [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]

    def _store_batch(self, items: list[Item]) -> None:
        close_old_connections()
        try:
            self._store(items)
        except (DatabaseError, PoolTimeout) as trouble:
            _log_loss(self._name, trouble, len(items))
        finally:
            close_old_connections()
