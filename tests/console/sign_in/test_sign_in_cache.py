"""Failed sign-ins are counted while Redis is away too."""

from __future__ import annotations

from console.embedded.stack import free_port
from console.sign_in.sign_in_cache import SignInCache


def test_without_redis_a_process_counts_by_itself() -> None:
    cache = SignInCache(f"redis://127.0.0.1:{free_port()}", {"OPTIONS": {"socket_connect_timeout": 1}})

    assert cache.add("lock", True, timeout=10)
    assert not cache.add("lock", True, timeout=10)
    cache.set("failures", [1, 2], 60)
    assert cache.get("failures", []) == [1, 2]
    cache.delete("lock")
    assert cache.add("lock", True, timeout=10)
