"""Turns for the threads that answer requests: a limited number, shared fairly among senders.

The threads of a process compute one at a time. So the processor time of each sender's requests is counted, and while
others ask too, a sender that used more than its share waits.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import AbstractEventLoop, Future, TimerHandle
from collections import Counter, OrderedDict, deque
from threading import Lock

from tenancy.errors import OperationFailed, RateLimited

RETRY_SECONDS = 1
WAIT_SECONDS = 10.0
# Of the processor's time, for one sender while others ask too.
SHARE = 0.5
# Seconds of the processor that a sender may have beyond its share before it waits.
MOST_OWED = 1.0
# Requests that take longer of the processor, as large answers do, keep others waiting at every step: they count double.
HEAVY_SECONDS = 0.03
OTHERS_SECONDS = 10.0
MOST_SENDERS = 10_000


class ProcessorTime:
    """The processor time that each sender used beyond its share, in seconds. Used by the event loop only."""

    def __init__(self) -> None:
        # How many seconds were owed, and when.
        self._owed: dict[str, tuple[float, float]] = {}
        self._latest = ""
        self._others_asked = -OTHERS_SECONDS

    def note(self, sender: str) -> None:
        """Record that the sender asks for a turn."""
        if sender != self._latest:
            if self._latest:
                self._others_asked = time.monotonic()
            self._latest = sender

    def charge(self, sender: str, seconds: float) -> None:
        counted = 2 * seconds if seconds > HEAVY_SECONDS else seconds
        now = time.monotonic()
        self._owed[sender] = (self.owed(sender, now) + counted, now)
        if len(self._owed) > MOST_SENDERS:
            self._owed = {debtor: owed for debtor, owed in self._owed.items() if self.owed(debtor, now)}

    def owed(self, sender: str, now: float) -> float:
        """The processor time beyond its share, in seconds. `now`: a time of `time.monotonic()`."""
        seconds, since = self._owed.get(sender, (0.0, 0.0))
        return max(0.0, seconds - SHARE * (now - since))

    def wait_seconds(self, sender: str, now: float) -> float:
        """Seconds until the sender may have its next turn: 0 for those within their share."""
        return max(0.0, self.owed(sender, now) - MOST_OWED) / SHARE if self._do_others_ask(now) else 0.0

    def is_beyond_share(self, sender: str, now: float) -> bool:
        """Return whether the sender is half way to waiting, so that its requests run one after the other."""
        return self._do_others_ask(now) and self.owed(sender, now) > MOST_OWED / 2

    def _do_others_ask(self, now: float) -> bool:
        return now - self._others_asked <= OTHERS_SECONDS


class Turns:
    """At most `most` turns at once, half of them for one sender; waiting senders alternate. For the event loop only."""

    def __init__(self, most: int) -> None:
        self._most, self._most_of_one = most, max(1, most // 2)
        self._most_waiting, self._most_waiting_of_one = 8 * most, 2 * most
        self._time = ProcessorTime()
        self._timer: TimerHandle | None = None
        self._running: Counter[str] = Counter()
        # In the order in which the senders are next.
        self._waiting: OrderedDict[str, deque[Future[None]]] = OrderedDict()
        self._waiting_in_all = 0

    async def acquire(self, sender: str) -> RequestTurn:
        """Wait for a turn.

        Raises `RateLimited` when the sender, and `OperationFailed` when all together have too many requests waiting,
        or after `WAIT_SECONDS`.
        """
        loop = asyncio.get_running_loop()
        self._time.note(sender)
        if not self._may_run(sender, time.monotonic()):
            await self._wait_for_turn(sender, loop.create_future())
        else:
            self._running[sender] += 1
        return RequestTurn(self, sender, loop)

    def release(self, sender: str, seconds: float = 0.0) -> None:
        """End a turn and charge the processor time of its request, in seconds."""
        self._time.charge(sender, seconds)
        self._running[sender] -= 1
        if not self._running[sender]:
            del self._running[sender]
        self._let_next_run()

    def _may_run(self, sender: str, now: float) -> bool:
        return (
            self._running.total() < self._most
            and self._running[sender] < self._most_of_one
            and not self._time.wait_seconds(sender, now)
            and not (self._running[sender] and self._time.is_beyond_share(sender, now))
        )

    async def _wait_for_turn(self, sender: str, turn: Future[None]) -> None:
        if len(self._waiting.get(sender, ())) >= self._most_waiting_of_one:
            raise RateLimited("too many requests at once", retry_after=RETRY_SECONDS)
        if self._waiting_in_all >= self._most_waiting:
            raise OperationFailed("too many requests just now", retry_after=RETRY_SECONDS)
        self._waiting.setdefault(sender, deque()).append(turn)
        self._waiting_in_all += 1
        self._let_next_run()
        has_run = False
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await asyncio.shield(turn)
            has_run = True
        except TimeoutError:
            if self._running.total() < self._most and self._running[sender] < self._most_of_one:
                raise RateLimited(
                    "requests that take too much of the processor", retry_after=RETRY_SECONDS
                ) from None
            raise OperationFailed("too many requests just now", retry_after=RETRY_SECONDS) from None
        finally:
            if not has_run:
                self._stop_waiting(sender, turn)

    def _stop_waiting(self, sender: str, turn: Future[None]) -> None:
        if turn.done():  # it came in the same moment
            self.release(sender)
            return
        self._waiting[sender].remove(turn)
        self._waiting_in_all -= 1
        if not self._waiting[sender]:
            del self._waiting[sender]

    def _let_next_run(self) -> None:
        # One time for all of it: a wait that is over between the two looks would have no timer, and never end.
        now = time.monotonic()
        while (
            sender := next((sender for sender in self._waiting if self._may_run(sender, now)), None)
        ) is not None:
            turns = self._waiting.pop(sender)
            turns.popleft().set_result(None)
            self._waiting_in_all -= 1
            self._running[sender] += 1
            if turns:
                self._waiting[sender] = turns  # behind the others
        self._look_again_later(now)

    def _look_again_later(self, now: float) -> None:
        """Start a timer for when the first sender that waits for its share may run: nothing else may wake it."""
        waits = [seconds for sender in self._waiting if (seconds := self._time.wait_seconds(sender, now))]
        if self._timer is not None:
            self._timer.cancel()  # a sender that came since may have to wait less
        self._timer = asyncio.get_running_loop().call_later(min(waits), self._look_again) if waits else None

    def _look_again(self) -> None:
        self._timer = None
        self._let_next_run()


class RequestTurn:
    """The turn of one request: it ends with its thread, even if the client left, or is cancelled before one began."""

    def __init__(self, turns: Turns, sender: str, loop: AbstractEventLoop) -> None:
        self._turns, self._sender, self._loop = turns, sender, loop
        self._lock = Lock()
        self._is_free = True
        self._began = 0.0

    def begin(self) -> bool:
        """Called in the thread. False when the request was cancelled before, so that nothing is to be done."""
        self._began = time.thread_time()
        return self._claim_turn()

    def end(self) -> None:
        """Called in the thread, after `begin`."""
        took = time.thread_time() - self._began
        self._loop.call_soon_threadsafe(self._turns.release, self._sender, took)

    def cancel(self) -> None:
        """Called in the event loop, when the client has left."""
        if self._claim_turn():
            self._turns.release(self._sender)

    def _claim_turn(self) -> bool:
        with self._lock:
            was_free, self._is_free = self._is_free, False
            return was_free
