"""Limits on the size of one request and on the rate of requests of an account.

Windows live in Redis, counted by atomic scripts. While Redis is away, or slow to answer, each process goes by its own
window of the limit divided by the processes, in which it has counted what Redis let through as well: never unlimited,
never closed, and not the same calls twice. Where settings say that there is one process only, its own windows are as
exact, and cost no round trip; what is counted by the day outlives the process and stays in Redis.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import redis
from django.conf import settings
from limits import (
    RateLimitItem,
    RateLimitItemPerDay,
    RateLimitItemPerHour,
    RateLimitItemPerMinute,
    RateLimitItemPerSecond,
)
from limits.storage import MemoryStorage, RedisStorage, Storage
from limits.strategies import SlidingWindowCounterRateLimiter

from tenancy.errors import RateLimited, TokenRateExceeded, TooManyTokens
from tenancy.models import Account
from tenancy.runtime.circuit_breaker import CircuitBreaker

log = logging.getLogger(__name__)

MAX_CALL_TOKENS = 40_000
# After a refused connection Redis is left alone this long, so that each request does not wait for it.
REDIS_PAUSE = 2.0
# Skip Redis while another request has waited for it this long: all waiting a second at the same time
# hold every connection of the database's pool.
DOUBT = 0.25


def check_rate(account: Account) -> None:
    """Count one request. Raises `RateLimited` above the requests per second that the plan allows."""
    item = RateLimitItemPerSecond(account.plan.most_requests_per_second)
    if not _windows.hit_lately(item, f"rps:{account.pk}", 1):
        raise RateLimited(retry_after=1)


def charge_tokens(account: Account, tokens: int) -> None:
    """Count input tokens. Raises `TooManyTokens` for one call, `TokenRateExceeded` for the minute."""
    if tokens > MAX_CALL_TOKENS:
        raise TooManyTokens(f"{tokens} tokens, at most {MAX_CALL_TOKENS} in one request")
    item = RateLimitItemPerMinute(account.plan.tokens_per_minute)
    if not _windows.hit_lately(item, f"tpm:{account.pk}", max(tokens, 1)):
        raise TokenRateExceeded(f"{account.plan.tokens_per_minute} tokens a minute", retry_after=60)


def count_call(name: str, most: int) -> bool:
    """Count one call on a UTC day under this name; False above the limit.

    The day is part of the name, and the window longer than a day: it never slides, so the count is exact, also after a
    change of the limit.
    """
    day = datetime.now(UTC).date().isoformat()
    return _windows.hit(RateLimitItemPerDay(most, 2), f"{name}:{day}", 1)


def count_guess(address: str, most: int) -> bool:
    """Count one unknown key by client address; False above the limit per minute."""
    return _windows.hit(RateLimitItemPerMinute(most), f"guess:{address}", 1)


def count_sign_up(address: str, most: int) -> bool:
    """Count one new login by client address; False above the limit per hour."""
    return _windows.hit(RateLimitItemPerHour(most), f"signup:{address}", 1)


class _Limiter(SlidingWindowCounterRateLimiter):
    """Names windows without the amount, so that a limit that is changed goes on from what was counted."""

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        name = type(item)(1, item.multiples).key_for(*identifiers)
        storage: Any = self.storage
        return bool(storage.acquire_sliding_window_entry(name, item.amount, item.get_expiry(), cost))


class _WindowStore:
    """Rate windows in Redis, with in-process windows while Redis is unavailable."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counting = Lock()
        self._shared: _Limiter | None = None
        self._local = _Limiter(MemoryStorage())
        self._redis = CircuitBreaker(REDIS_PAUSE)
        self._asking: set[float] = set()

    def hit_lately(self, item: RateLimitItem, key: str, cost: int) -> bool:
        """Count a hit in windows of seconds and minutes, which may be reset with the process."""
        if settings.WEB_PROCESSES == 1:
            return self._hit_here(item, key, cost)
        return self.hit(item, key, cost)

    def hit(self, item: RateLimitItem, key: str, cost: int) -> bool:
        share = type(item)(max(item.amount // max(settings.WEB_PROCESSES, 1), 1), item.multiples)
        # A frozen server costs each that asks a second, so nobody asks while somebody waits.
        if not self._is_slow() and self._redis.may_ask():
            try:
                with self._being_asked():
                    allowed = bool(self._get_redis_limiter().hit(item, key, cost=cost))
            except redis.RedisError:
                self._redis.failed()
                log.warning("rate_limit_store_away")
            else:
                self._redis.succeeded()
                # What was let through here without Redis it knows nothing of; of all processes' calls it knows more.
                return allowed and (self._hit_here(share, key, cost) or settings.WEB_PROCESSES != 1)
        return self._hit_here(share, key, cost)

    def _hit_here(self, item: RateLimitItem, key: str, cost: int) -> bool:
        # The storage drops what it has not given an end yet, when another thread reads it.
        with self._counting:
            return bool(self._local.hit(item, key, cost=cost))

    def _is_slow(self) -> bool:
        with self._lock:
            return min(self._asking, default=math.inf) <= time.monotonic() - DOUBT

    @contextmanager
    def _being_asked(self) -> Iterator[None]:
        since = time.monotonic()
        with self._lock:
            self._asking.add(since)
        try:
            yield
        finally:
            with self._lock:
                self._asking.discard(since)

    def _get_redis_limiter(self) -> _Limiter:
        with self._lock:
            if self._shared is None:
                self._shared = _Limiter(_build_redis_storage())
            return self._shared


def _build_redis_storage() -> Storage:
    pool = redis.ConnectionPool.from_url(
        settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1, max_connections=32
    )
    return RedisStorage("redis://", connection_pool=pool)


_windows = _WindowStore()
