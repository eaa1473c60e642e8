"""How long `add/message` takes when requests come at a steady rate, whether the server keeps up or not.

    python -m benchmarks.add_latency [--seconds 60] [--rate 20]

A request's time counts from the moment it was due, so that a server that stalls cannot hide the requests that
wait behind the stall. A bare `/healthz`, asked in between at the same rate, says what the machine and the HTTP
stack cost in the same minute.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
from tqdm import tqdm

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.sentences import statement

P95_MILLISECONDS = 60.0
END_USERS = 50
DRAIN_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    milliseconds: float


Send = Callable[[int], Awaitable[httpx.Response]]


def run_measurement(seconds: int, rate: int) -> Report:
    report = Report("add_latency", circumstances=machine() | {"seconds": seconds, "rate": rate})
    with installation() as (stack, developer):
        answers, bare = asyncio.run(_load(stack.url, developer, seconds, rate))
        left, drained = _drain(developer)
    added = [answer.milliseconds for answer in answers]
    refused = sum(answer.status != 200 for answer in answers)
    ratio = round(percentile(added, 95) / percentile([answer.milliseconds for answer in bare], 95), 2)
    report.circumstances |= {"ratio_p95": ratio, "tasks_left": left, "seconds_to_drain": round(drained, 1)}
    report.tables = [
        Table(
            f"add/message, async, {rate} requests/s for {seconds} s, from the moment each was due",
            SPREAD_COLUMNS,
            [spread("add/message", added), spread("/healthz", [answer.milliseconds for answer in bare])],
        ),
        Table(
            "beside it",
            ["", "figure"],
            [
                ["p95 of add/message over p95 of /healthz", ratio],
                ["requests that were refused", refused],
                ["tasks that waited for the worker at the end", left],
                ["seconds until they were done", round(drained, 1)],
            ],
        ),
    ]
    report.promises = [
        Promise("add/message p95 in ms", percentile(added, 95), P95_MILLISECONDS),
        Promise("requests refused", refused, 0),
    ]
    return report


async def _load(url: str, developer: Developer, seconds: int, rate: int) -> tuple[list[Answer], list[Answer]]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
    async with httpx.AsyncClient(limits=limits, timeout=60, trust_env=False) as client:

        async def add(number: int) -> httpx.Response:
            address = f"{developer.api_base}/add/message"
            return await client.post(address, json=_turn(number), headers=developer.headers)

        async def look(number: int) -> httpx.Response:
            return await client.get(f"{url}/healthz")

        for number in range(20):  # connections, prepared statements, the worker's model
            await add(-1 - number)
        with tqdm(total=seconds * rate, unit="request", desc="add/message") as bar:
            return await asyncio.gather(
                _on_schedule(add, rate, seconds, 0.0, bar.update),
                _on_schedule(look, rate, seconds, 0.5 / rate, lambda: None),
            )


async def _on_schedule(
    send: Send, rate: int, seconds: int, later: float, tell: Callable[[], Any]
) -> list[Answer]:
    """Each request's answer, timed from its due time; the next is sent whether or not the last has come back."""
    begin = time.perf_counter() + 0.1 + later

    async def send_when_due(number: int) -> Answer:
        due = begin + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        status = (await send(number)).status_code
        tell()
        return Answer(status, (time.perf_counter() - due) * 1000)

    return list(await asyncio.gather(*(send_when_due(number) for number in range(rate * seconds))))


def _turn(number: int) -> dict[str, Any]:
    return {
        "user_id": f"user-{number % END_USERS}",
        "conversation_id": f"talk-{number % END_USERS}",
        "messages": [
            {"role": "user", "content": statement(abs(number), "I").replace("I is ", "I am ")},
            {"role": "assistant", "content": "Thank you for telling me. Shall I keep that in mind?"},
        ],
    }


def _drain(developer: Developer) -> tuple[int, float]:
    """How much work the worker had before it, and how long that took."""
    from memories.models import Task
    from memories.models.task import OPEN_STATES

    waiting = Task.objects.within([developer.project_id]).filter(state__in=OPEN_STATES)
    left, began = waiting.count(), time.perf_counter()
    while waiting.exists() and time.perf_counter() - began < DRAIN_SECONDS:
        time.sleep(0.2)
    return left, time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rate", type=int, default=20)
    asked = parser.parse_args()
    run_measurement(asked.seconds, asked.rate).publish()


if __name__ == "__main__":
    main()
