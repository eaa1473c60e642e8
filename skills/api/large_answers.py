"""Large responses: written out fast, and few of one account at the same time.

One of 8 MB takes 50 MB of memory and the interpreter for a good part of a second; without a bound one client that asks
often enough would take the process from everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from uuid import UUID

from pydantic_core import to_json

from tenancy.api.rendering import EnvelopeRenderer
from tenancy.runtime.account_slots import AccountSlots

# Bytes; what is no larger is not counted.
LARGE = 1024 * 1024
MOST_AT_ONCE = 2

_slots = AccountSlots(
    MOST_AT_ONCE, f"at most {MOST_AT_ONCE} answers of more than {LARGE // 1024**2} MB at once"
)


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
    with _slots.hold(account) if size > LARGE else nullcontext():
        yield
