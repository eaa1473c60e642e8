"""Circuit breaker: a service that fails is not asked for a while, so that nobody waits for its time limit.

See M. Nygard, "Release It!", and https://martinfowler.com/bliki/CircuitBreaker.html.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from threading import Lock


class CircuitBreaker:
    """Opens after `failures` in a row, for `rest_seconds`; then one caller at a time tries (half-open)."""

    def __init__(
        self, rest_seconds: float, failures: int = 1, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rest_seconds = rest_seconds
        self._most_failures = failures
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._is_open = False
        self._rests_until = 0.0
        self._probe_until = 0.0

    def may_ask(self) -> bool:
        """Return whether to ask now; a caller that does reports by `succeeded` or `failed`."""
        return self.wait(self._rest_seconds) == 0

    def wait(self, seconds: float) -> float:
        """0 to ask now, else for how long not to. A probe that is not reported within `seconds` is forgotten."""
        with self._lock:
            now = self._clock()
            if not self._is_open:
                return max(0.0, self._rests_until - now)
            if now < max(self._rests_until, self._probe_until):
                return math.inf
            self._probe_until = now + seconds
            return 0.0

    def succeeded(self) -> bool:
        """Record a success; true if the breaker was open until now."""
        with self._lock:
            was_open = self._is_open
            self._is_open, self._failures = False, 0
            self._rests_until = self._probe_until = 0.0
            return was_open

    def failed(self, rest_seconds: float = 0.0) -> bool:
        """Record a failure; true if the breaker opens now.

        With `rest_seconds` it opens for that time, even after a single failure.
        """
        with self._lock:
            self._failures += 1
            was_open, self._is_open = self._is_open, self._failures >= self._most_failures
            rest = max(rest_seconds, self._rest_seconds if self._is_open else 0.0)
            self._probe_until = 0.0
            self._rests_until = max(self._rests_until, self._clock() + rest)
            return self._is_open and not was_open

    @property
    def rests(self) -> bool:
        """Return whether it is open and its rest not over: what comes after nobody knows before somebody asks."""
        return self._is_open and self._clock() < self._rests_until
