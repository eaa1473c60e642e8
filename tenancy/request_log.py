"""One row a request, written off the request's path.

A queue and one thread a process: an answer never waits for its log row. What is in the queue when a process is
killed is lost, which is why nothing that must be counted is counted here.
"""

from __future__ import annotations

import logging
from collections import deque
from datetime import timedelta
from threading import Event, Lock, Thread

from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from tenancy.models import ApiKey, RequestLog
from tenancy.scoping import Scope, tenant_scope
from tenancy.signals import request_logged

log = logging.getLogger(__name__)

MAX_WAITING = 5_000
MAX_BODY_KEPT = 20_000
BATCH = 200


class Writer:
    """The thread that stores rows and says so."""

    def __init__(self) -> None:
        self._waiting: deque[RequestLog] = deque(maxlen=MAX_WAITING)
        self._bell = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

    def put(self, row: RequestLog) -> None:
        self._waiting.append(row)
        self._bell.set()
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="request-log", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._bell.wait()
            self._bell.clear()
            while self._waiting:
                self._store_batch()

    def _store_batch(self) -> None:
        rows = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
        by_scope: dict[Scope, list[RequestLog]] = {}
        for row in rows:
            by_scope.setdefault(Scope(row.account_id, row.project_id), []).append(row)
        for scope, of_scope in by_scope.items():
            self._store(scope, of_scope)

    def _store(self, scope: Scope, rows: list[RequestLog]) -> None:
        close_old_connections()
        try:
            with tenant_scope(scope):
                RequestLog.objects.bulk_create(rows)
            self._touch_keys(rows)
        except DatabaseError as trouble:
            log.error("request_log_lost", extra={"fault": type(trouble).__name__, "left": len(rows)})
            return
        finally:
            close_old_connections()
        for row in rows:
            request_logged.send_robust(None, project_id=str(row.project_id), entry=row)

    @staticmethod
    def _touch_keys(rows: list[RequestLog]) -> None:
        """`last_used_at` at most once a minute a key."""
        keys = {row.api_key_id for row in rows if row.api_key_id}
        now = timezone.now()
        recently = now - timedelta(minutes=1)
        ApiKey.objects.filter(pk__in=keys).exclude(last_used_at__gt=recently).update(last_used_at=now)


writer = Writer()
