"""A provider that fails is left alone for a while: asking it costs every task its time limit.

One breaker for each provider and key, shared by all that ask it in this process. A provider that a project brought
along has one of that project's own: nobody else's failures are felt there.
"""

from __future__ import annotations

import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from urllib.parse import urlsplit

log = logging.getLogger(__name__)

FAILURES = 5
REST_SECONDS = 30.0
# What a provider may ask for with Retry-After.
LONGEST_REST_SECONDS = 300.0
# Projects bring as many providers along as they like: of the longest unasked one nothing is known any more.
MOST_REMEMBERED = 2_000


class Breaker:
    """Opens after some failures in a row; when its rest is over, one request finds out how things are."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic, owner: str = "") -> None:
        self.name = name
        self.owner = owner
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._is_open = False
        self._rests_until = 0.0
        self._probe_until = 0.0

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

    def succeeded(self) -> None:
        with self._lock:
            if self._is_open:
                log.warning("provider_back", extra={"provider": self.name})
            self._is_open, self._failures = False, 0
            self._rests_until = self._probe_until = 0.0

    def failed(self, wish: float = 0.0) -> None:
        """`wish` is for how long the provider asked to be left alone: nobody asks before, after one failure too."""
        with self._lock:
            self._failures += 1
            opens = self._failures >= FAILURES
            if opens and not self._is_open:
                log.warning("provider_rests", extra={"provider": self.name, "left": self._failures})
            self._is_open, self._probe_until = opens, 0.0
            rest = max(min(wish, LONGEST_REST_SECONDS), REST_SECONDS if opens else 0.0)
            self._rests_until = max(self._rests_until, self._clock() + rest)

    @property
    def rests(self) -> bool:
        """Whether it is open and its rest not over: what comes after nobody knows before somebody asks."""
        return self._is_open and self._clock() < self._rests_until


_breakers: OrderedDict[tuple[str, str, str], Breaker] = OrderedDict()
_breakers_lock = Lock()


def breaker_for(base_url: str, api_key: str, owner: str = "") -> Breaker:
    """The one of this provider and key, and of the project whose own it is. Its name is nobody else's business."""
    made = Breaker(f"of project {owner}" if owner else urlsplit(base_url).hostname or "provider", owner=owner)
    key = (base_url, sha256(api_key.encode()).hexdigest(), owner)
    with _breakers_lock:
        breaker = _breakers.setdefault(key, made)
        _breakers.move_to_end(key)
        while len(_breakers) > MOST_REMEMBERED:
            _breakers.popitem(last=False)
    return breaker


def providers_with_open_breaker() -> list[str]:
    """The installation's providers that this process leaves alone just now, by host name."""
    with _breakers_lock:
        known = list(_breakers.values())
    return sorted({breaker.name for breaker in known if breaker.rests and not breaker.owner})
