"""A mark that changes with each nudge to a project: where a page and its socket have the same, nothing was missed.

A page takes the mark before it reads what it shows, and the mark changes before a nudge is sent. So a page whose socket
finds the mark unchanged shows all that it was nudged about before the socket listened, and hears of the rest. A nudge
that is lost changes no mark, as it reaches no page that is open.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from functools import cached_property
from uuid import UUID, uuid4

import redis
from django.conf import settings

log = logging.getLogger(__name__)

# A page waits for its mark no longer than that, and while Redis is away not at all: it reads its lists twice then.
READ_TIMEOUT, PAUSE = 0.5, 5.0
# Nobody waits for whoever tells.
WRITE_TIMEOUT = 1.0
# Longer than any page takes to open its socket.
KEPT_SECONDS = 86_400
UNKNOWN, NONE_YET = "", "0"


class LastEvents:
    """The marks of all projects, as this process reads and changes them."""

    def __init__(self) -> None:
        self._next_try = 0.0

    @cached_property
    def _asked(self) -> redis.Redis:
        return _client(READ_TIMEOUT)

    @cached_property
    def _told(self) -> redis.Redis:
        return _client(WRITE_TIMEOUT)

    def note(self, project_ids: Iterable[str]) -> None:
        """Raises `redis.RedisError` where it cannot be kept."""
        pipeline = self._told.pipeline(transaction=False)
        for project_id in project_ids:
            pipeline.set(_key(project_id), uuid4().hex, ex=KEPT_SECONDS)
        pipeline.execute()

    def mark(self, project_id: object) -> str:
        """`UNKNOWN`, which is like no other, while Redis does not answer."""
        if time.monotonic() < self._next_try:
            return UNKNOWN
        try:
            mark = self._asked.get(_key(project_id))
        except redis.RedisError as trouble:
            self._next_try = time.monotonic() + PAUSE
            log.warning("mark_unknown", extra={"fault": type(trouble).__name__})
            return UNKNOWN
        return mark.decode() if isinstance(mark, bytes) else NONE_YET


def _client(patience: float) -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=patience, socket_connect_timeout=patience)


def _key(project_id: object) -> str:
    return f"engram:last-event:{UUID(str(project_id)).hex}"


last_events = LastEvents()
