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


class TolerantQoS(redis.QoS):
    """Keeps the prefetch count right when the broker does not answer."""

    def ack(self, delivery_tag: Any) -> None:
        """Raises what the broker's client raises. The message is delivered again after an hour, for a finished task."""
        with self._dropping_on_error(delivery_tag):
            super().ack(delivery_tag)

    def reject(self, delivery_tag: Any, requeue: bool = False) -> None:
        """The same for a task whose process died. It is delivered again as late, or sooner by the sweeper."""
        with self._dropping_on_error(delivery_tag):
            super().reject(delivery_tag, requeue)

    @contextmanager
    def _dropping_on_error(self, delivery_tag: Any) -> Iterator[None]:
        """A message that could not be acknowledged no longer counts as unacknowledged."""
        try:
            yield
        except (RedisError, OSError):
            virtual.QoS.ack(self, delivery_tag)
            raise


def patch_kombu_qos() -> None:
    """Patch every channel that this process opens to the broker."""
    redis.Channel.QoS = TolerantQoS
