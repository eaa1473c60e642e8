"""A thread-safe cache whose entries end after a time: `cachetools.TTLCache` behind a lock."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import TTLCache

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LockedTTLCache(Generic[Key, Value]):
    """Up to `size` entries, each for `seconds` after it was put; the oldest go first where there are too many."""

    def __init__(self, size: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = Lock()
        self._entries: TTLCache[Key, Value] = TTLCache(size, seconds, clock)

    def __len__(self) -> int:
        with self._lock:
            self._entries.expire()
            return len(self._entries)

    def get(self, key: Key) -> Value | None:
        with self._lock:
            self._entries.expire()
            return self._entries.get(key)

    def put(self, key: Key, value: Value) -> None:
        with self._lock:
            self._entries[key] = value

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value:
        """Threads that miss at the same time each call `make`; the last result is kept."""
        with self._lock:
            if key in self._entries:
                return self._entries[key]
        value = make()
        self.put(key, value)
        return value

    def pop(self, key: Key) -> Value | None:
        with self._lock:
            return self._entries.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
