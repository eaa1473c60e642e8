"""A mark that changes with each hint to a project: where a page and its socket have the same, nothing was missed.

A page takes the mark before it reads what it shows, and the mark changes before a hint is sent. So a page whose socket
finds the mark unchanged shows all that was hinted at before the socket listened, and hears of the rest.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from functools import lru_cache
from uuid import UUID, uuid4

import redis
from django.conf import settings

log = logging.getLogger(__name__)

# A page waits for its mark no longer than that, and while Redis is away not at all: it reads its lists twice then.
PATIENCE, PAUSE = 0.25, 5.0
# Longer than any page takes to open its socket.
KEPT_SECONDS = 86_400
UNKNOWN, NONE_YET = "", "0"


class _LastHints:
    def __init__(self) -> None:
        self._next_try = 0.0

    def note(self, project_ids: Iterable[str]) -> None:
        """Raises `redis.RedisError` where it cannot be kept."""
        pipeline = _client().pipeline(transaction=False)
        for project_id in project_ids:
            pipeline.set(_key(project_id), uuid4().hex, ex=KEPT_SECONDS)
        pipeline.execute()

    def mark(self, project_id: object) -> str:
        """`UNKNOWN`, which is like no other, while Redis does not answer."""
        if time.monotonic() < self._next_try:
            return UNKNOWN
        try:
            mark = _client().get(_key(project_id))
        except redis.RedisError as trouble:
            self._next_try = time.monotonic() + PAUSE
            log.warning("mark_unknown", extra={"fault": type(trouble).__name__})
            return UNKNOWN
        return mark.decode() if isinstance(mark, bytes) else NONE_YET


def _key(project_id: object) -> str:
    return f"engram:last-hint:{UUID(str(project_id)).hex}"


@lru_cache(maxsize=1)
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE)


last_hints = _LastHints()
