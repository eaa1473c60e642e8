"""The cache and the circuit breaker that all apps use."""

from __future__ import annotations

import math

from tenancy.runtime.circuit_breaker import CircuitBreaker
from tenancy.runtime.ttl_cache import LockedTTLCache


def test_an_entry_ends_after_its_time_and_the_oldest_makes_room() -> None:
    now = [0.0]
    cache = LockedTTLCache[str, int](2, 10.0, clock=lambda: now[0])
    cache.put("a", 1)
    cache.put("b", 2)
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (None, 2, 3)

    now[0] = 11.0

    assert len(cache) == 0
    assert cache.get("b") is None


def test_a_result_is_made_once_even_when_it_is_none() -> None:
    cache = LockedTTLCache[str, int | None](2, 10.0)
    made: list[None] = []

    for _ in range(2):
        assert cache.get_or_make("a", lambda: made.append(None)) is None

    assert len(made) == 1
    cache.pop("a")
    cache.get_or_make("a", lambda: made.append(None))
    assert len(made) == 2


def test_a_circuit_breaker_lets_one_caller_try_after_its_rest() -> None:
    now = [0.0]
    breaker = CircuitBreaker(2.0, failures=2, clock=lambda: now[0])
    assert not breaker.failed()
    assert breaker.may_ask()
    assert breaker.failed()

    assert (breaker.may_ask(), breaker.wait(1.0)) == (False, math.inf)
    now[0] = 2.5
    assert [breaker.may_ask() for _ in range(3)] == [True, False, False]
    assert not breaker.failed()  # it is open already
    assert breaker.rests

    now[0] = 5.0
    assert breaker.may_ask()
    assert breaker.succeeded()
    assert [breaker.may_ask() for _ in range(3)] == [True, True, True]
