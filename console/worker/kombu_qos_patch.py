"""Patch kombu's QoS so that failed acknowledgements do not use up the prefetch count.

Kombu drops a finished task from its count only when the broker confirmed the acknowledgement. Each acknowledgement that
failed while the broker was frozen reduced the prefetch count permanently, until the worker took no task any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kombu.transport import redis, virtual
from redis.exceptions import RedisError


class LentPlaces(redis.QoS):
    def ack(self, delivery_tag: Any) -> None:
        """Raises what the broker's client raises. The message comes again after an hour, to a task that is done."""
        with self._giving_back(delivery_tag):
            super().ack(delivery_tag)

    def reject(self, delivery_tag: Any, requeue: bool = False) -> None:
        """The same for a task whose process died. It comes again as late, or sooner by the sweeper."""
        with self._giving_back(delivery_tag):
            super().reject(delivery_tag, requeue)

    @contextmanager
    def _giving_back(self, delivery_tag: Any) -> Iterator[None]:
        try:
            yield
        except (RedisError, OSError):
            virtual.QoS.ack(self, delivery_tag)
            raise


def lend_places() -> None:
    """To every worker of this process."""
    redis.Channel.QoS = LentPlaces
