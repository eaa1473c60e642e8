"""Limit the bytes of long request bodies, per sender and per process.

A body is written to disk while it arrives. From when it is complete until it is answered it takes several times its
size of memory: before that it waits until the limit of the process allows it.
"""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections import Counter, deque
from types import TracebackType
from typing import Self

from tenancy.errors import RateLimited

RETRY_SECONDS = 1
WAIT_SECONDS = 5.0


class BytesInFlight:
    """Counters of both limits, in bytes. Used by the event loop only, so without a lock."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._of: Counter[str] = Counter()
        self._handled = 0
        self._waiting: deque[tuple[int, Future[None]]] = deque()

    def begin(self, sender: str) -> HeldBytes:
        """Start counting one body; what it holds is released at the end of the `with` block."""
        return HeldBytes(self, sender)

    def reserve(self, sender: str, size: int) -> None:
        if self._of[sender] + size > self._most_of_one:
            raise RateLimited(
                f"bodies of more than {self._most_of_one // 1024**2} MB at once", retry_after=RETRY_SECONDS
            )
        self._of[sender] += size

    def release(self, sender: str, size: int) -> None:
        self._of[sender] -= size
        if not self._of[sender]:
            del self._of[sender]

    async def start_handling(self, size: int) -> None:
        """Wait until so many more bytes may be handled, in order of arrival. Raises `RateLimited`."""
        if not self._waiting and self._handled + size <= self._most:
            self._handled += size
            return
        turn: Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        is_in = False
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await asyncio.shield(turn)
            is_in = True
        except TimeoutError:
            raise RateLimited("the server handles too many long bodies", retry_after=RETRY_SECONDS) from None
        finally:
            if not is_in:
                self._stop_waiting(size, turn)

    def _stop_waiting(self, size: int, turn: Future[None]) -> None:
        if turn.done():  # its turn came in the same moment
            self.end_handling(size)
        else:
            self._waiting.remove((size, turn))
            self._let_in()

    def end_handling(self, size: int) -> None:
        self._handled -= size
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self._handled + self._waiting[0][0] <= self._most:
            size, turn = self._waiting.popleft()
            self._handled += size
            turn.set_result(None)


class HeldBytes:
    """The bytes that one body holds."""

    def __init__(self, bound: BytesInFlight, sender: str) -> None:
        self._bound, self._sender = bound, sender
        self._size = self._handled = 0

    def reserve_up_to(self, size: int) -> None:
        """Count the bytes that the body has or will have. Raises `RateLimited` over the limit of the sender."""
        if size > self._size:
            self._bound.reserve(self._sender, size - self._size)
            self._size = size

    async def start_handling(self) -> None:
        """Wait until the complete body may be handled. Raises `RateLimited`."""
        await self._bound.start_handling(self._size)
        self._handled = self._size

    def end_handling(self) -> None:
        """End the handling: the body was answered or abandoned."""
        handled, self._handled = self._handled, 0
        self._bound.end_handling(handled)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end_handling()
        self._bound.release(self._sender, self._size)
        self._size = 0
