"""How fast long request bodies are read: so many bytes a second of each sender.

Reading a megabyte and looking what it is takes the event loop and the interpreter 5 to 9 ms, whatever comes of it.
Nothing is refused: a client that sends faster has to wait until the socket is read on.
"""

from __future__ import annotations

import asyncio
import time

MEGABYTE = 1024 * 1024
BYTES_A_SECOND = 8 * MEGABYTE
# What a sender may send at once after a while without a long body.
BURST = 16 * MEGABYTE
MOST_SENDERS = 10_000


class Pace:
    """Limits how fast senders may send. Used by the event loop only, so without a lock."""

    def __init__(self, rate: int = BYTES_A_SECOND, burst: int = BURST) -> None:
        self._rate, self._seconds_ahead = rate, burst / rate
        # When what each sender has sent would have come at that rate.
        self._until: dict[str, float] = {}

    async def wait(self, sender: str, size: int) -> None:
        """Wait after a piece of so many bytes, until the sender may send more."""
        now = time.monotonic()
        if len(self._until) > MOST_SENDERS:
            self._until = {name: until for name, until in self._until.items() if until > now}
        self._until[sender] = max(now, self._until.get(sender, now)) + size / self._rate
        ahead = self._until[sender] - now - self._seconds_ahead
        if ahead > 0:
            await asyncio.sleep(ahead)
