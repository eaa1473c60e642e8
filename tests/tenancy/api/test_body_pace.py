"""Long bodies are read at a pace that leaves time for everybody else."""

from __future__ import annotations

import asyncio
import time

from tenancy.api.bodies.read_rate import Pace
from tests.support.servers.loops import run


def test_a_sender_sends_a_burst_and_is_read_at_the_pace_from_then_on() -> None:
    pace = Pace(rate=250, burst=500)

    async def send(sender: str, pieces: list[int]) -> float:
        began = time.monotonic()
        for size in pieces:
            await pace.wait(sender, size)
        return time.monotonic() - began

    async def together() -> list[float]:
        return await asyncio.gather(
            send("kim", [100] * 5), send("kim", [100] * 5), send("lee", [100] * 5), send("ann", [])
        )

    first, second, other, _ = run(together())

    assert max(first, second) > 1.4
    assert other < 1
