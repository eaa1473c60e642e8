"""Work that no answer waits for: put aside, done a moment later by one thread of the process.

What is put aside when a process is killed is lost, which is why nothing that must be counted belongs here. A
process that is asked to stop stores it first.
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
def losing(name: str, items: int) -> Iterator[None]:
    """What the database refuses inside is dropped and logged: one tenant's bad row costs no other tenant's."""
    try:
        yield
    except DatabaseError as trouble:
        _log_loss(name, trouble, items)
        close_old_connections()


def _log_loss(name: str, trouble: Exception, items: int) -> None:
    log.error("aside_lost", extra={"reason": name, "fault": type(trouble).__name__, "left": items})


_every: list[Aside[Any]] = []


def store_waiting() -> None:
    """What every one of them still holds, before the process ends."""
    for aside in _every:
        aside.store_all()


class Aside(Generic[Item]):
    """`store` gets what came together within `gathered` seconds, in order; a batch that the database refuses is dropped
    and logged."""

    def __init__(
        self, name: str, store: Callable[[list[Item]], None], gathered: float = GATHERED_SECONDS
    ) -> None:
        self._name = name
        self._store = store
        self._gathered = gathered
        self._begin()
        # A worker's child has no such thread, its parent's locks may be held for ever, and what waits is its parent's.
        os.register_at_fork(after_in_child=self._begin)
        _every.append(self)

    def _begin(self) -> None:
        self._waiting: deque[Item] = deque(maxlen=MAX_WAITING)
        self._bell = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

    def put(self, item: Item) -> None:
        self._waiting.append(item)
        self._bell.set()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._start()

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
        while items := self._take():
            self._store_batch(items)

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
