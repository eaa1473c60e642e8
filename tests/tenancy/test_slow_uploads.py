"""Places for large bodies are few: nobody holds one by sending slowly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tenancy.api import body
from tenancy.api.body import MAX_BODY, UPLOADS_AT_ONCE, BodyLimit
from tests.api_client import Tenant

Message = dict[str, Any]
PART = b"x" * 1024 * 1024
PARTS = MAX_BODY // len(PART) + 1


class Reader:
    """An application that reads the body, answers, and then listens for the client's hanging up."""

    def __init__(self) -> None:
        self.read = 0
        self.heard = ""

    async def __call__(self, scope: Any, receive: Callable[[], Awaitable[Message]], send: Any) -> None:
        is_more = True
        while is_more:
            message = await receive()
            self.read += len(message["body"])
            is_more = message["more_body"]
        self.heard = (await receive())["type"]


def sending(pause: float, before_leaving: float = 0.0) -> Callable[[], Awaitable[Message]]:
    left = PARTS

    async def receive() -> Message:
        nonlocal left
        if left == 0:
            await asyncio.sleep(before_leaving)
            return {"type": "http.disconnect"}
        await asyncio.sleep(pause)
        left -= 1
        return {"type": "http.request", "body": PART, "more_body": left > 0}

    return receive


async def upload(
    limit: BodyLimit, tenant: Tenant, receive: Callable[[], Awaitable[Message]]
) -> list[Message]:
    answer: list[Message] = []

    async def send(message: Message) -> None:
        answer.append(message)

    headers = [
        (b"content-length", str(PARTS * len(PART)).encode()),
        (b"authorization", f"Token {tenant.key}".encode()),
    ]
    scope = {"type": "http", "path": "/api/openmem/v1/add/message", "headers": headers}
    await limit(scope, receive, send)
    return answer


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """In a thread without a loop of its own: the browser's tests leave theirs running in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def refused_as_slow(answer: list[Message]) -> bool:
    return answer[0]["status"] == 503 and "too slowly" in json.loads(answer[1]["body"])["message"]


def test_slow_clients_are_turned_away_and_their_places_are_free_again(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(body, "LEAST_RATE", 10 * len(PART))
    reader = Reader()
    limit = BodyLimit(reader)

    async def all_at_once() -> list[list[Message]]:
        return await asyncio.gather(*(upload(limit, tenant, sending(30)) for _ in range(UPLOADS_AT_ONCE)))

    assert all(refused_as_slow(answer) for answer in run(all_at_once()))
    assert run(upload(limit, tenant, sending(0))) == []
    assert reader.read == PARTS * len(PART)


def test_a_body_that_trickles_is_as_slow_as_one_that_stands_still(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(body, "LEAST_RATE", 100 * len(PART))
    reader = Reader()

    assert refused_as_slow(run(upload(BodyLimit(reader), tenant, sending(0.1))))
    assert 0 < reader.read < PARTS * len(PART)


def test_no_upload_lasts_longer_than_the_longest(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "UPLOAD_SECONDS", 0.3)

    assert refused_as_slow(run(upload(BodyLimit(Reader()), tenant, sending(0.1))))


def test_the_time_for_the_answer_is_not_the_clients(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "UPLOAD_SECONDS", 0.3)
    reader = Reader()

    assert run(upload(BodyLimit(reader), tenant, sending(0, before_leaving=0.6))) == []
    assert reader.heard == "http.disconnect"
