"""A worker takes as many tasks as it has places; none may be lost to a broker that does not answer.

Kombu forgets a task that is done only when the broker confirmed it. One end that could not be told, while a broker was
frozen, and a place was taken for ever: after as many as there are places the worker took no task any more, though the
broker was well again.
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
