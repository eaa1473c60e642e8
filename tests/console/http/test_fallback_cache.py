"""Failed sign-ins are counted while Redis is away too."""

from __future__ import annotations

from django.conf import settings

from console.embedded.stack import free_port
from console.http.fallback_cache import FallbackCache


def alone(prefix: str) -> FallbackCache:
    options = {"socket_connect_timeout": 1}
    return FallbackCache(f"redis://127.0.0.1:{free_port()}", {"KEY_PREFIX": prefix, "OPTIONS": options})


def test_without_redis_a_process_counts_by_itself() -> None:
    cache = alone("")

    assert cache.add("lock", True, timeout=10)
    assert not cache.add("lock", True, timeout=10)
    cache.set("failures", [1, 2], 60)
    assert cache.get("failures", []) == [1, 2]
    cache.delete("lock")
    assert cache.add("lock", True, timeout=10)


def test_what_another_cache_holds_drops_no_failure() -> None:
    failures, prompts = alone("failures"), alone("prompts")
    failures.set("kim", 9, 60)

    for number in range(1000):
        prompts.set(str(number), b"", 60)

    assert failures.get("kim") == 9
    assert {options["KEY_PREFIX"] for options in settings.CACHES.values()} == {"", "prompts"}
