"""A mark per project in Redis that changes with each page update event.

A page reads the mark before its data, and the mark changes before an event is sent. A socket that finds the mark
unchanged on connect therefore missed no event, and the page need not reload. An event that is lost changes no mark.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cached_property
from uuid import UUID, uuid4

import redis
from django.conf import settings

from tenancy.runtime.circuit_breaker import CircuitBreaker

log = logging.getLogger(__name__)

# Seconds. After a failed read Redis is not asked for `PAUSE` seconds; pages then reload their lists on connect.
READ_TIMEOUT, PAUSE = 0.5, 5.0
# Seconds; writes run in the background writer, so no request waits for them.
WRITE_TIMEOUT = 1.0
# Longer than any page takes to open its socket.
KEPT_SECONDS = 86_400
UNKNOWN, NONE_YET = "", "0"


class EventMarks:
    """Reads and writes the marks of all projects."""

    def __init__(self) -> None:
        self._redis = CircuitBreaker(PAUSE)

    @cached_property
    def _reader(self) -> redis.Redis:
        return _build_redis_client(READ_TIMEOUT)

    @cached_property
    def _writer(self) -> redis.Redis:
        return _build_redis_client(WRITE_TIMEOUT)

    def note(self, project_ids: Iterable[str]) -> None:
        """Change the marks of these projects. Raises `redis.RedisError`."""
        pipeline = self._writer.pipeline(transaction=False)
        for project_id in project_ids:
            pipeline.set(_build_event_key(project_id), uuid4().hex, ex=KEPT_SECONDS)
        pipeline.execute()

    def mark(self, project_id: object) -> str:
        """The mark of a project, or `UNKNOWN`, which equals no mark, while Redis does not answer."""
        if not self._redis.may_ask():
            return UNKNOWN
        try:
            mark = self._reader.get(_build_event_key(project_id))
        except redis.RedisError as error:
            self._redis.failed()
            log.warning("mark_unknown", extra={"fault": type(error).__name__})
            return UNKNOWN
        self._redis.succeeded()
        return mark.decode() if isinstance(mark, bytes) else NONE_YET


def _build_redis_client(timeout: float) -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=timeout, socket_connect_timeout=timeout)


def _build_event_key(project_id: object) -> str:
    return f"engram:last-event:{UUID(str(project_id)).hex}"


event_marks = EventMarks()
