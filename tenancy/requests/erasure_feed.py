"""Notify every process at once of rows that it must drop from its caches.

A Redis stream, so that a reader continues where its connection broke. It holds keys of deleted rows, no ids of persons
and no texts. Independently of it each process checks the database periodically.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from threading import Lock, Thread
from typing import Any
from uuid import UUID

import redis
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.utils import timezone
from psycopg_pool import PoolTimeout

log = logging.getLogger(__name__)

STREAM = "engram:erased"
# Readers are never this far behind; after this long without an erasure the stream expires.
MOST_ENTRIES, KEPT_SECONDS = 10_000, 3_600
# How often a process checks the database, besides reading the stream.
CHECK_SECONDS = 60.0
# Nobody's answer waits longer for Redis than that.
REDIS_SECONDS = 1.0
REST_SECONDS = 5.0
# Entries written while a process starts reading are read twice rather than not at all. Clocks of hosts may differ.
MARGIN = timedelta(minutes=2)


class ErasureFeed:
    """`drop` removes these keys from caches; `check` removes everything erased since a time."""

    def __init__(
        self,
        drop: Callable[[Iterable[UUID]], None],
        check: Callable[[datetime], None],
        seconds: float = CHECK_SECONDS,
    ) -> None:
        self._drop, self._check, self._seconds = drop, check, seconds
        self._begin_watching()
        os.register_at_fork(after_in_child=self._begin_watching)

    def _begin_watching(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None

    def announce(self, keys: Iterable[UUID]) -> None:
        """Drop in this process at once and notify the others. A lost notification is made up for by `check`."""
        gone = list(keys)
        self._drop(gone)
        try:
            client = _build_redis_client(REDIS_SECONDS)
            entry: dict[Any, Any] = {"keys": ",".join(str(key) for key in gone)}
            client.xadd(STREAM, entry, maxlen=MOST_ENTRIES, approximate=True)
            client.expire(STREAM, KEPT_SECONDS)
            client.close()
        except redis.RedisError as error:
            log.warning("erasure_not_announced", extra={"fault": type(error).__name__})

    def listen(self) -> None:
        """Listen in a thread of its own from now on. Called before anything is cached."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._watch_erasures, name="erasures", daemon=True)
                self._thread.start()

    def _watch_erasures(self) -> None:
        client = _build_redis_client(self._seconds + 10)
        checked = timezone.now()
        last = f"{int((checked - MARGIN).timestamp() * 1000)}-0"
        while True:
            now = timezone.now()
            if (now - checked).total_seconds() >= self._seconds and self._read_erasures(checked - MARGIN):
                checked = now
            last = self._read_entries(client, last)

    def _read_entries(self, client: Any, last: str) -> str:
        """The entry after which to go on."""
        try:
            answer = client.xread({STREAM: last}, block=int(self._seconds * 1000))
        except redis.RedisError as error:
            log.warning("erasures_not_received", extra={"fault": type(error).__name__})
            time.sleep(REST_SECONDS)
            return last
        for key, entry in answer[0][1] if answer else ():
            self._drop([UUID(key_id) for key_id in entry[b"keys"].decode().split(",") if key_id])
            last = key.decode()
        return last

    def _read_erasures(self, since: datetime) -> bool:
        close_old_connections()
        try:
            self._check(since)
        except (DatabaseError, PoolTimeout) as error:
            log.warning("erasures_not_checked", extra={"fault": type(error).__name__})
            return False
        finally:
            close_old_connections()
        return True


def _build_redis_client(seconds: float) -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=seconds, socket_connect_timeout=REDIS_SECONDS
    )
