"""Background writer: one thread per process that stores batches of queued items.

Items are lost when the process is killed, so nothing that must be counted belongs here; a normal stop stores them
first. A full queue drops the oldest items of the owner with most in it, counted and logged.
"""

from __future__ import annotations

import logging
import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
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
    """Log database errors and drop the items: one tenant's bad row must not affect other tenants.

    Text that is not UTF-8 never reaches the database: its driver refuses it.
    """
    try:
        yield
    except (DatabaseError, UnicodeEncodeError) as error:
        log_loss(name, error, items)
        close_old_connections()


def log_loss(name: str, trouble: Exception, items: int) -> None:
    log.error("aside_lost", extra={"reason": name, "fault": type(trouble).__name__, "left": items})


_every: list[BackgroundWriter[Any]] = []


def flush_all_writers() -> None:
    """Store what all writers still hold, before the process ends."""
    for aside in _every:
        aside.store_all()
        while aside.has_later():
            time.sleep(GATHERED_SECONDS)
            aside.store_all()


class _Queue(Generic[Item]):
    """First in, first out for each owner; the owners take turns."""

    def __init__(self, owner_of: Callable[[Item], Hashable]) -> None:
        self._owner_of = owner_of
        self._of: OrderedDict[Hashable, deque[Item]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, item: Item) -> None:
        self._of.setdefault(self._owner_of(item), deque()).append(item)
        self._size += 1

    def pop(self) -> Item:
        """The oldest item of the owner whose turn it is."""
        owner, items = self._of.popitem(last=False)
        self._size -= 1
        item = items.popleft()
        if items:
            self._of[owner] = items
        return item

    def drop(self) -> None:
        """The oldest item of the owner with most."""
        max(self._of.values(), key=len).popleft()
        self._size -= 1


def _ignore_item(item: object) -> None:
    return None


class BackgroundWriter(Generic[Item]):
    """Queue whose items are passed to `store` in batches, `gathered` seconds after the first, in order of each owner.

    A batch that the database refuses is dropped and logged. With `owner_of`
    those who have few items in it neither wait for nor lose anything to one who has thousands.
    """

    def __init__(
        self,
        name: str,
        store: Callable[[list[Item]], None],
        gathered: float = GATHERED_SECONDS,
        *,
        owner_of: Callable[[Item], Hashable] = _ignore_item,
    ) -> None:
        self._name = name
        self._store = store
        self._gathered = gathered
        self._owner_of = owner_of
        self._reset_state()
        # A forked child has no such thread, may inherit a locked lock, and must not store its parent's items.
        os.register_at_fork(after_in_child=self._reset_state)
        _every.append(self)

    def _reset_state(self) -> None:
        self._waiting = _Queue(self._owner_of)
        self._later: list[Item] = []
        self._dropped = 0
        self._has_items = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

    def put(self, item: Item) -> None:
        with self._lock:
            is_first_loss = self._append_item(item) and self._dropped == 1
            self._has_items.set()
            if self._thread is None or not self._thread.is_alive():
                self._start_thread()
        if is_first_loss:  # of the rest, the next batch says how many they were
            log.error("aside_full", extra={"reason": self._name, "left": MAX_WAITING})

    def put_later(self, item: Item) -> None:
        """Called by `store` for an item that cannot be stored now: it is tried in the next round, after all others."""
        with self._lock:
            self._later.append(item)
            self._has_items.set()

    def has_later(self) -> bool:
        return bool(self._later)

    def _append_item(self, item: Item) -> bool:
        """Returns whether an item was dropped because the queue was full."""
        self._waiting.append(item)
        if len(self._waiting) + len(self._later) <= MAX_WAITING:
            return False
        self._waiting.drop()
        self._dropped += 1
        return True

    def _start_thread(self) -> None:
        self._thread = Thread(target=self._write_batches, name=self._name, daemon=True)
        self._thread.start()

    def _write_batches(self) -> None:
        while True:
            self._has_items.wait()
            time.sleep(self._gathered)
            self._has_items.clear()
            self.store_all()

    def store_all(self) -> None:
        with self._lock:
            later, self._later = self._later, []
            for item in later:
                self._append_item(item)
        self._report_dropped()
        while items := self._take_items():
            self._store_batch(items)
            self._report_dropped()

    def _report_dropped(self) -> None:
        with self._lock:
            dropped, self._dropped = self._dropped, 0
        if dropped:
            log.error("aside_dropped", extra={"reason": self._name, "count": dropped})

    def _take_items(self) -> list[Item]:
        with self._lock:  # at the end of a process, two threads may come for the same
            return [self._waiting.pop() for _ in range(min(BATCH, len(self._waiting)))]

    def _store_batch(self, items: list[Item]) -> None:
        close_old_connections()
        try:
            self._store(items)
        except (DatabaseError, PoolTimeout) as error:
            log_loss(self._name, error, len(items))
        finally:
            close_old_connections()
