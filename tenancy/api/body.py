"""A body over the limit is refused before it is read whole."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from tenancy.api.rendering import refusal
from tenancy.errors import TooManyTokens

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_BODY = 10 * 1024 * 1024


class BodyTooLarge(Exception):
    pass


class BodyLimit:
    """ASGI: counts what arrives and answers [40305] as soon as it is too much, declared or not."""

    def __init__(self, application: Any, most: int = MAX_BODY) -> None:
        self.application = application
        self.most = most

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if self._declared(scope) > self.most:
            await self._refuse(send)
            return
        try:
            await self.application(scope, self._counted(receive), send)
        except BodyTooLarge:
            await self._refuse(send)

    @staticmethod
    def _declared(scope: MutableMapping[str, Any]) -> int:
        for name, value in scope.get("headers", []):
            if name == b"content-length" and value.isdigit():
                return int(value)
        return 0

    def _counted(self, receive: Receive) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.most:
                raise BodyTooLarge
            return message

        return counted

    async def _refuse(self, send: Send) -> None:
        entry = TooManyTokens(f"the body is larger than {self.most // 1024 // 1024} MB")
        body = json.dumps(refusal(entry.code, entry.text)).encode()
        headers = [(b"content-type", b"application/json; charset=utf-8"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": entry.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
