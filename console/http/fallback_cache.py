"""A cache in Redis for all web processes, and in each one's own memory while Redis is away."""

from __future__ import annotations

import logging
from typing import Any

import redis
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

from tenancy.runtime.circuit_breaker import CircuitBreaker

log = logging.getLogger(__name__)

# After a refused connection Redis is left alone this long, so that nobody waits for it.
PAUSE = 2.0


class FallbackCache(RedisCache):
    """Cache that counts limits per process when Redis fails, so that they still hold.

    Each alias has a `KEY_PREFIX` and memory of its own: however much one holds, nothing of another is dropped for it.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._own = LocMemCache(f"fallback {self.key_prefix}", {})
        self._redis = CircuitBreaker(PAUSE)

    def add(self, *args: Any, **options: Any) -> Any:
        return self._ask_redis("add", *args, **options)

    def get(self, *args: Any, **options: Any) -> Any:
        return self._ask_redis("get", *args, **options)

    def set(self, *args: Any, **options: Any) -> Any:
        return self._ask_redis("set", *args, **options)

    def delete(self, *args: Any, **options: Any) -> Any:
        return self._ask_redis("delete", *args, **options)

    def _ask_redis(self, name: str, *args: Any, **options: Any) -> Any:
        if self._redis.may_ask():
            try:
                answer = getattr(super(), name)(*args, **options)
            except redis.RedisError as error:
                self._redis.failed()
                log.warning("cache_away", extra={"fault": type(error).__name__})
            else:
                self._redis.succeeded()
                return answer
        return getattr(self._own, name)(*args, **options)
