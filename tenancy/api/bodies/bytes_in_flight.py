"""Bytes of long request bodies being processed: limits per sender and per process.

A body lies on disk while it comes. It takes memory, several times its size, from when it is whole until its answer: for
that it waits its turn.
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
    """Counters of both limits, in bytes. Used by the event loop only, hence without a lock."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._of: Counter[str] = Counter()
        self._handled = 0
        self._waiting: deque[tuple[int, Future[None]]] = deque()

    def begin(self, sender: str) -> HeldBytes:
        """One body, of no bytes yet; what it holds is given back at the end of the `with` block."""
        return HeldBytes(self, sender)

    def take(self, sender: str, size: int) -> None:
        if self._of[sender] + size > self._most_of_one:
            raise RateLimited(
                f"bodies of more than {self._most_of_one // 1024**2} MB at once", retry_after=RETRY_SECONDS
            )
        self._of[sender] += size

    def give_back(self, sender: str, size: int) -> None:
        self._of[sender] -= size
        if not self._of[sender]:
            del self._of[sender]

    async def enter(self, size: int) -> None:
        """Waits until so many bytes more may be handled, first come, first served. Raises `RateLimited`."""
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
                self._give_up(size, turn)

    def _give_up(self, size: int, turn: Future[None]) -> None:
        if turn.done():  # its turn came in the same moment
            self.leave(size)
        else:
            self._waiting.remove((size, turn))
            self._let_in()

    def leave(self, size: int) -> None:
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

    def grow_to(self, size: int) -> None:
        """The body has, or will have, so many bytes. Raises `RateLimited` where the sender has too many under way."""
        if size > self._size:
            self._bound.take(self._sender, size - self._size)
            self._size = size

    async def enter(self) -> None:
        """The body is whole: waits until it may be handled. Raises `RateLimited`."""
        await self._bound.enter(self._size)
        self._handled = self._size

    def leave(self) -> None:
        """It is answered, or given up."""
        handled, self._handled = self._handled, 0
        self._bound.leave(handled)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
        self._bound.give_back(self._sender, self._size)
        self._size = 0
