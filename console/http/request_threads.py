"""Turns for the threads in which requests are answered: bounded in all, and shared out among those who ask."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop, Future
from collections import Counter, OrderedDict, deque
from threading import Lock

from tenancy.errors import OperationFailed, RateLimited

RETRY_SECONDS = 1
WAIT_SECONDS = 10.0


class Turns:
    """At most `most` at once and half of them of one sender; the senders that wait take turns. For the event loop."""

    def __init__(self, most: int) -> None:
        self._most, self._most_of_one = most, max(1, most // 2)
        self._most_waiting, self._most_waiting_of_one = 8 * most, 2 * most
        self._running: Counter[str] = Counter()
        # In the order in which the senders are next.
        self._waiting: OrderedDict[str, deque[Future[None]]] = OrderedDict()
        self._waiting_in_all = 0

    async def take(self, sender: str) -> Turn:
        """Waits for a turn. Raises `RateLimited` where the sender, and `OperationFailed` where everybody, has too many
        requests waiting already, or after `WAIT_SECONDS`."""
        loop = asyncio.get_running_loop()
        if not self._may_run(sender):
            await self._wait(sender, loop.create_future())
        else:
            self._running[sender] += 1
        return Turn(self, sender, loop)

    def give_back(self, sender: str) -> None:
        self._running[sender] -= 1
        if not self._running[sender]:
            del self._running[sender]
        self._let_next_run()

    def _may_run(self, sender: str) -> bool:
        return self._running.total() < self._most and self._running[sender] < self._most_of_one

    async def _wait(self, sender: str, turn: Future[None]) -> None:
        if len(self._waiting.get(sender, ())) >= self._most_waiting_of_one:
            raise RateLimited("too many requests at once", retry_after=RETRY_SECONDS)
        if self._waiting_in_all >= self._most_waiting:
            raise OperationFailed("too many requests just now", retry_after=RETRY_SECONDS)
        self._waiting.setdefault(sender, deque()).append(turn)
        self._waiting_in_all += 1
        has_run = False
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await asyncio.shield(turn)
            has_run = True
        except TimeoutError:
            raise OperationFailed("too many requests just now", retry_after=RETRY_SECONDS) from None
        finally:
            if not has_run:
                self._give_up(sender, turn)

    def _give_up(self, sender: str, turn: Future[None]) -> None:
        if turn.done():  # it came in the same moment
            self.give_back(sender)
            return
        self._waiting[sender].remove(turn)
        self._waiting_in_all -= 1
        if not self._waiting[sender]:
            del self._waiting[sender]

    def _let_next_run(self) -> None:
        sender = next((one for one in self._waiting if self._may_run(one)), None)
        if sender is None:
            return
        turns = self._waiting.pop(sender)
        turns.popleft().set_result(None)
        self._waiting_in_all -= 1
        self._running[sender] += 1
        if turns:
            self._waiting[sender] = turns  # behind the others


class Turn:
    """One request's. It ends when its thread has, whatever became of the client; or when no thread has begun it."""

    def __init__(self, turns: Turns, sender: str, loop: AbstractEventLoop) -> None:
        self._turns, self._sender, self._loop = turns, sender, loop
        self._lock = Lock()
        self._is_free = True

    def begin(self) -> bool:
        """In the thread: False where the request was given up before, and nothing is to be done."""
        return self._claim()

    def end(self) -> None:
        """In the thread, after `begin`."""
        self._loop.call_soon_threadsafe(self._turns.give_back, self._sender)

    def give_up(self) -> None:
        """In the event loop, when nobody waits for the thread any more."""
        if self._claim():
            self._turns.give_back(self._sender)

    def _claim(self) -> bool:
        with self._lock:
            was_free, self._is_free = self._is_free, False
            return was_free
