"""Long bodies take memory when they are whole: so many bytes are handled at once, and each sender has a share."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest

from tenancy.api.bodies import bytes_in_flight
from tenancy.api.bodies.bytes_in_flight import BytesInFlight, HeldBytes
from tenancy.errors import RateLimited
from tests.support.servers.loops import run
from tests.support.waiting import let_loop_run


def body(bound: BytesInFlight, sender: str, size: int, through: ExitStack) -> HeldBytes:
    held = through.enter_context(bound.begin(sender))
    held.reserve_up_to(size)
    return held


def test_a_sender_has_a_share_and_gets_it_back() -> None:
    bound = BytesInFlight(100, 50)
    with ExitStack() as through:
        growing = body(bound, "kim", 30, through)
        growing.reserve_up_to(40)
        with pytest.raises(RateLimited):
            body(bound, "kim", 11, through)
        with pytest.raises(RateLimited):
            growing.reserve_up_to(51)
        body(bound, "lee", 50, through)
    with ExitStack() as through:
        body(bound, "kim", 50, through)


def test_bodies_wait_for_each_other_in_the_order_in_which_they_came() -> None:
    bound, order = BytesInFlight(100, 100), []

    async def handle(sender: str, size: int) -> None:
        with ExitStack() as through:
            held = body(bound, sender, size, through)
            await held.start_handling()
            order.append(sender)
            await let_loop_run()

    async def all_at_once() -> None:
        sizes = {"kim": 60, "lee": 90, "ann": 10, "bob": 100, "eve": 1}
        await asyncio.gather(*(handle(sender, size) for sender, size in sizes.items()))

    run(all_at_once())

    assert order == ["kim", "lee", "ann", "bob", "eve"]


def test_who_waits_too_long_is_told_when_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bytes_in_flight, "WAIT_SECONDS", 0.05)
    bound = BytesInFlight(100, 100)

    async def too_many() -> None:
        with ExitStack() as through:
            await body(bound, "kim", 90, through).start_handling()
            with pytest.raises(RateLimited) as refused:
                await body(bound, "lee", 20, through).start_handling()
            assert refused.value.retry_after
            # Anyone who gave up holds up nobody, and an answer that has begun makes room.
            await body(bound, "ann", 10, through).start_handling()

        with ExitStack() as through:
            streaming = body(bound, "kim", 100, through)
            await streaming.start_handling()
            streaming.end_handling()
            await body(bound, "lee", 100, through).start_handling()

    run(too_many())


def test_a_client_that_hangs_up_while_it_waits_leaves_nothing_behind() -> None:
    bound = BytesInFlight(100, 100)

    async def hang_up() -> None:
        with ExitStack() as through:
            first = body(bound, "kim", 100, through)
            await first.start_handling()
            waiting = [
                asyncio.create_task(body(bound, name, 50, through).start_handling())
                for name in ("lee", "ann")
            ]
            await let_loop_run()
            waiting[0].cancel()
            first.end_handling()
            waiting[1].cancel()  # in the moment in which its turn came
            await asyncio.gather(*waiting, return_exceptions=True)
        with ExitStack() as through:
            await body(bound, "bob", 100, through).start_handling()

    run(hang_up())
