"""Large responses: written out fast, and few of one account at the same time.

One of 8 MB takes 50 MB of memory and the interpreter for a good part of a second; without a bound one client that asks
often enough would take the process from everybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any
from uuid import UUID

from pydantic_core import to_json

from tenancy.api.rendering import EnvelopeRenderer
from tenancy.errors import RateLimited

# Bytes; what is no larger is not counted.
LARGE = 1024 * 1024
MOST_AT_ONCE = 2
RETRY_SECONDS = 1

_lock = Lock()
_under_way: Counter[UUID] = Counter()


class LargeAnswerRenderer(EnvelopeRenderer):
    """The same JSON by an encoder in Rust, for data of plain types.

    The standard library's holds the interpreter for 150 ms while it writes 8 MB, pydantic's for 20:
    `python -m benchmarks.work.noisy_neighbour huge_sessions`.
    """

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        return b"" if data is None else to_json(data)


@contextmanager
def limit_large_answer(account: UUID, size: int) -> Iterator[None]:
    """Hold a slot while a response of this many bytes is built. Raises `RateLimited`."""
    if size <= LARGE:
        yield
        return
    with _lock:
        if _under_way[account] >= MOST_AT_ONCE:
            raise RateLimited(
                f"at most {MOST_AT_ONCE} answers of more than {LARGE // 1024**2} MB at once",
                retry_after=RETRY_SECONDS,
            )
        _under_way[account] += 1
    try:
        yield
    finally:
        with _lock:
            _under_way[account] -= 1
            if not _under_way[account]:
                del _under_way[account]
