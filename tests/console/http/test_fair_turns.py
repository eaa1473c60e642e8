"""Requests share the threads of a web process: nobody takes them all, and who hangs up leaves no place taken."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from types import SimpleNamespace

import pytest

from console.http import fair_turns as module
from console.http.fair_turns import Turns
from tenancy.errors import OperationFailed, RateLimited
from tests.support.servers.loops import run
from tests.support.waiting import let_loop_run


async def served(turns: Turns, sender: str, order: list[str], at_once: Counter[str]) -> None:
    turn = await turns.acquire(sender)
    assert turn.begin()
    at_once[sender] += 1
    at_once["all"] = max(at_once["all"], sum(count for name, count in at_once.items() if name != "all"))
    order.append(sender)
    await let_loop_run(0.001)
    at_once[sender] -= 1
    turn.end()
    turn.cancel()


def test_nobody_has_more_than_half_and_the_others_take_turns() -> None:
    turns, order, at_once = Turns(4), [], Counter[str]()

    async def all_at_once() -> None:
        senders = ["kim"] * 8 + ["lee"] * 4 + ["ann"] * 2
        await asyncio.gather(*(served(turns, sender, order, at_once) for sender in senders))

    run(all_at_once())

    assert order[:4] == ["kim", "kim", "lee", "lee"]
    assert Counter(order) == {"kim": 8, "lee": 4, "ann": 2}
    assert "ann" in order[4:7]
    assert order[-1] == "kim"
    assert at_once["all"] == 4


def test_too_many_that_wait_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.05)
    turns = Turns(2)

    async def too_many() -> list[object]:
        first = await turns.acquire("kim")
        assert first.begin()
        answers = await asyncio.gather(*(turns.acquire("kim") for _ in range(5)), return_exceptions=True)
        other = await turns.acquire("lee")
        other.cancel()
        first.end()
        await let_loop_run()
        (await turns.acquire("kim")).cancel()
        return [type(answer) for answer in answers]

    assert run(too_many()) == [OperationFailed] * 4 + [RateLimited]


def test_a_client_that_hangs_up_frees_its_turn_when_its_thread_is_done() -> None:
    turns = Turns(2)

    async def hang_up() -> None:
        at_work = await turns.acquire("kim")
        assert at_work.begin()
        at_work.cancel()  # the client is gone, the thread is not
        waiting = [asyncio.create_task(turns.acquire("kim")) for _ in range(3)]
        await let_loop_run()
        waiting[0].cancel()
        await let_loop_run()
        assert not waiting[1].done()

        at_work.end()
        second = await waiting[1]
        second.cancel()  # before a thread began it
        assert not second.begin()
        (await waiting[2]).cancel()

    run(hang_up())


def test_a_turn_that_comes_while_its_client_hangs_up_goes_to_the_next() -> None:
    turns = Turns(2)

    async def at_the_same_moment() -> None:
        first = await turns.acquire("kim")
        waiting = [asyncio.create_task(turns.acquire("kim")) for _ in range(2)]
        await let_loop_run()
        first.cancel()
        waiting[0].cancel()
        (await waiting[1]).cancel()

    run(at_the_same_moment())


def test_who_took_more_than_its_share_waits_while_others_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OWED", 0.1)
    turns, served = Turns(4), []

    async def spend(sender: str, seconds: float = 0.0) -> None:
        await turns.acquire(sender)
        served.append(sender)
        turns.release(sender, seconds)

    async def is_served_at_once(sender: str, seconds: float = 0.0) -> bool:
        asking = asyncio.create_task(spend(sender, seconds))
        await let_loop_run()
        is_done = asking.done()
        await asking
        return is_done

    async def ask() -> None:
        assert await is_served_at_once("kim")
        began = time.monotonic()
        assert await is_served_at_once("kim", 0.5)
        assert await is_served_at_once("kim")  # nobody else is there
        assert await is_served_at_once("lee", 0.02)
        served.clear()
        await asyncio.gather(*(spend(sender) for sender in ("kim", "lee", "kim", "ann")))
        assert served == ["lee", "ann", "kim", "kim"]
        # 0.5 s that count double, less the 0.1 s that may be owed, at half a second a second.
        assert time.monotonic() - began >= 1.8
        assert await is_served_at_once("kim")  # it is paid

    run(ask())


def test_requests_of_one_that_nears_its_share_come_one_after_the_other() -> None:
    turns, order, at_once = Turns(8), [], Counter[str]()

    async def all_at_once() -> None:
        await turns.acquire("kim")
        turns.release("kim", 0.4)
        (await turns.acquire("lee")).cancel()
        await asyncio.gather(*(served(turns, sender, order, at_once) for sender in ["kim"] * 4 + ["lee"] * 4))

    run(all_at_once())

    assert Counter(order) == {"kim": 4, "lee": 4}
    assert at_once["all"] == 5


def test_who_owes_too_much_to_be_waited_for_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.05)
    turns = Turns(4)

    async def ask() -> None:
        await turns.acquire("kim")
        turns.release("kim", 10.0)
        (await turns.acquire("lee")).cancel()
        with pytest.raises(RateLimited):
            await turns.acquire("kim")
        (await turns.acquire("lee")).cancel()

    run(ask())


def test_a_wait_that_is_over_as_soon_as_it_is_looked_at_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OWED", 0.02)
    turns, looks = Turns(4), 0

    def pass_time() -> float:
        """Each look at the clock takes a millisecond."""
        nonlocal looks
        looks += 1
        return time.monotonic() + looks / 1000

    async def wait_shortly(sender: str, seconds: float) -> float:
        await turns.acquire(sender)
        turns.release(sender, module.MOST_OWED + seconds)
        began = time.monotonic()
        await turns.acquire(sender)
        turns.release(sender)
        return time.monotonic() - began

    async def ask() -> None:
        (await turns.acquire("lee")).cancel()
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=pass_time))
        for tenths in range(1, 60):
            assert await wait_shortly(f"kim {tenths}", tenths / 10_000) < module.WAIT_SECONDS / 2

    run(ask())


def test_who_waits_for_little_does_not_wait_for_who_waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OWED", 0.1)
    turns, order = Turns(4), list[str]()

    async def ask(sender: str) -> None:
        await turns.acquire(sender)
        order.append(sender)
        turns.release(sender)

    async def owe_and_wait() -> None:
        for sender, seconds in (("kim", 0.5), ("lee", 0.1)):
            await turns.acquire(sender)
            turns.release(sender, seconds)
        await asyncio.gather(ask("kim"), ask("lee"))

    run(owe_and_wait())

    assert order == ["lee", "kim"]
