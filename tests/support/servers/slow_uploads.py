"""Bodies of requests that arrive slowly."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tenancy.api.bodies.body_limit import MAX_BODY, BodyLimit
from tests.support.api_client import Tenant

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


def sending(
    pause: float, before_leaving: float = 0.0, parts: int = PARTS, part: bytes = PART
) -> Callable[[], Awaitable[Message]]:
    left = parts

    async def receive() -> Message:
        nonlocal left
        if left == 0:
            await asyncio.sleep(before_leaving)
            return {"type": "http.disconnect"}
        await asyncio.sleep(pause)
        left -= 1
        return {"type": "http.request", "body": part, "more_body": left > 0}

    return receive


async def upload(
    limit: BodyLimit,
    tenant: Tenant,
    receive: Callable[[], Awaitable[Message]],
    declared: int | None = PARTS * len(PART),
) -> list[Message]:
    answer: list[Message] = []

    async def send(message: Message) -> None:
        answer.append(message)

    headers = [(b"authorization", f"Token {tenant.key}".encode())]
    length = (b"content-length", str(declared).encode())
    headers.append((b"transfer-encoding", b"chunked") if declared is None else length)
    scope = {"type": "http", "path": "/api/openmem/v1/add/message", "headers": headers}
    await limit(scope, receive, send)
    return answer
