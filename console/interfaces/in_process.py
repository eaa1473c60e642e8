"""Calls of the REST API inside the web process, so that every protocol has its validation, limits, scopes and log."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tenancy.api.base import INTERFACE
from tenancy.api.identify_sender import COUNTED, KEY, Scope
from tenancy.models import ApiKey

MEMOS, SKILLS = "/api/openmem/v1", "/api/v1"


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One request to the REST API. `query` are query parameters; `body` is sent as JSON, `None` as no body."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """Status and parsed JSON of an answer. `retry_after` is in seconds, where the API says when to come back."""

    status: int
    data: dict[str, Any]
    retry_after: str = ""

    @property
    def is_success(self) -> bool:
        return self.status < 400 and self.data.get("code") in {0, None}

    @property
    def sentence(self) -> str:
        """Return what went wrong, for the person who reads it, with the code; the two contracts name it differently."""
        text = self.data.get("message") or self.data.get("msg") or ""
        return f"[{self.data.get('code', self.status)}] {text}"


class InProcessApi:
    """The REST API as one caller of another protocol reaches it: with the headers and address of the outer request.

    `interface` and the name of the operation stand in the request log in place of the REST address ("mcp/add_message").
    """

    def __init__(self, application: Any, outer: Scope, interface: str, key: ApiKey) -> None:
        self._application = application
        self._outer = outer
        self._interface = interface
        self._key = key

    async def send(self, call: ApiCall, operation: str) -> ApiAnswer:
        """Raises what the application raises; business errors are answers."""
        body = b"" if call.body is None else json.dumps(call.body, ensure_ascii=False).encode()
        gathered = _Gathered(body)
        await self._application(
            self._build_scope(call, operation, len(body)), gathered.receive, gathered.send
        )
        return gathered.answer()

    def _build_scope(self, call: ApiCall, operation: str, length: int) -> Scope:
        kept = (
            b"authorization",
            b"host",
            b"user-agent",
            b"idempotency-key",
            b"x-forwarded-for",
            b"x-request-id",
        )
        headers = [(name, value) for name, value in self._outer["headers"] if name in kept]
        headers += [(b"content-type", b"application/json"), (b"content-length", str(length).encode())]
        path = f"{self._outer.get('root_path', '')}{call.path}"
        return {
            "type": "http",
            "asgi": self._outer.get("asgi", {"version": "3.0"}),
            "http_version": "1.1",
            "scheme": self._outer.get("scheme", "http"),
            "method": call.method,
            "path": path,
            "raw_path": path.encode(),
            "root_path": self._outer.get("root_path", ""),
            "query_string": urlencode(call.query).encode(),
            "headers": headers,
            "client": self._outer.get("client"),
            "server": self._outer.get("server"),
            COUNTED: True,  # the outer request was counted
            KEY: self._key,
            INTERFACE: f"{self._interface}/{operation}",
        }


class _Gathered:
    """One request body to be received, and the answer that is sent for it."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._status = 500
        self._headers: dict[bytes, bytes] = {}
        self._parts: list[bytes] = []
        self._is_over = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        if self._body is None:  # a disconnect while the view is at work would cancel it
            await self._is_over.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = {name.lower(): value for name, value in message["headers"]}
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                self._is_over.set()

    def answer(self) -> ApiAnswer:
        data = json.loads(b"".join(self._parts) or b"{}")
        retry_after = self._headers.get(b"retry-after", b"").decode("latin-1")
        return ApiAnswer(self._status, data if isinstance(data, dict) else {"data": data}, retry_after)
