"""A circuit breaker for each model provider: asking one that fails costs every task its time limit.

One breaker for each provider and key, shared by all that ask it in this process. A provider that a project brought
along has one of that project's own: nobody else's failures are felt there.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from urllib.parse import urlsplit

from tenancy.runtime.circuit_breaker import CircuitBreaker

log = logging.getLogger(__name__)

FAILURES = 5
REST_SECONDS = 30.0
# What a provider may ask for with Retry-After.
LONGEST_REST_SECONDS = 300.0
# Projects bring as many providers along as they like: of the longest unasked one nothing is known any more.
MOST_REMEMBERED = 2_000


class Breaker(CircuitBreaker):
    """The circuit breaker of one provider; says in the log when it opens and closes."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic, owner: str = "") -> None:
        super().__init__(REST_SECONDS, FAILURES, clock)
        self.name = name
        self.owner = owner

    def succeeded(self) -> bool:
        was_open = super().succeeded()
        if was_open:
            log.warning("provider_breaker_closed", extra={"provider": self.name})
        return was_open

    def failed(self, rest_seconds: float = 0.0) -> bool:
        """`rest_seconds` is for how long the provider asked to be left alone."""
        opens = super().failed(min(rest_seconds, LONGEST_REST_SECONDS))
        if opens:
            log.warning("provider_breaker_opened", extra={"provider": self.name, "left": FAILURES})
        return opens


_breakers: OrderedDict[tuple[str, str, str], Breaker] = OrderedDict()
_breakers_lock = Lock()


def get_breaker(base_url: str, api_key: str, owner: str = "") -> Breaker:
    """The one of this provider and key, and of the project whose own it is. Its name is nobody else's business."""
    made = Breaker(f"of project {owner}" if owner else urlsplit(base_url).hostname or "provider", owner=owner)
    key = (base_url, sha256(api_key.encode()).hexdigest(), owner)
    with _breakers_lock:
        breaker = _breakers.setdefault(key, made)
        _breakers.move_to_end(key)
        while len(_breakers) > MOST_REMEMBERED:
            _breakers.popitem(last=False)
    return breaker


def list_providers_with_open_breaker() -> list[str]:
    """The installation's providers that this process leaves alone just now, by host name."""
    with _breakers_lock:
        known = list(_breakers.values())
    return sorted({breaker.name for breaker in known if breaker.rests and not breaker.owner})
