"""ASGI: `/mcp` over streamable HTTP, each request by itself with its own key; everything else goes on to Django."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from console.configuration.version import read_own_version
from console.interfaces.in_process import InProcessApi
from console.interfaces.mcp.caller import API, KEY, MEMBER
from console.interfaces.oauth.grants import find_token_key
from console.interfaces.oauth.resource import PATH, get_metadata_uri
from tenancy.api.bodies.body_limit import MAX_BODY
from tenancy.api.identify_sender import COUNTED, RECOGNISERS, Scope, read_header, run_in_thread
from tenancy.errors import (
    CatalogueError,
    InternalError,
    KeyInvalid,
    KeyMalformed,
    KeyRequired,
    MethodNotAllowed,
)
from tenancy.ids import uuid7
from tenancy.keys.authorization_header import read_key_from_header
from tenancy.keys.brute_force import recognise_key_from
from tenancy.keys.last_refused_request import note_refused_key
from tenancy.metering.rate_limits import check_rate
from tenancy.models import ApiKey

KEY_PREFIX = "mpg-"
# Codes of JSON-RPC for what a server itself refuses.
REFUSED = -32001
Send = Callable[[dict[str, Any]], Coroutine[Any, Any, None]]


class McpEndpoint:
    """Serves `/mcp` and hands all other requests on.

    The SDK is imported and started with the first request: it takes 25 MiB and a second, and most installations never
    have one. Stateless, because with sessions a session of one key could be used with another's.
    """

    def __init__(self, application: Any) -> None:
        self._application = application
        self._starting: asyncio.Lock | None = None
        self._handler: Any = None
        self._runner: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["path"].rstrip("/") != PATH:
            await self._application(scope, receive, send)
            return
        try:
            key, member = await self._admit_request(scope)
        except CatalogueError as refusal:
            await send_refusal(send, refusal, scope)
            return
        api = InProcessApi(self._application, scope, "mcp", key)
        handler = await self._start_handler()
        inner = {**scope, "path": PATH, API: api, KEY: key, MEMBER: member}
        await handler(inner, receive, send)

    async def _admit_request(self, scope: Scope) -> tuple[ApiKey, str]:
        """The key of the request, counted against its account's rate, and the member whose OAuth token it shows.

        Raises what the catalogue says of the key, and `MethodNotAllowed` for the stream of a session, of which there
        is none.
        """
        if scope["method"] != "POST":
            raise MethodNotAllowed("POST only: this server keeps no sessions")
        client = scope.get("client")
        address = client[0] if client else ""
        authorization = read_header(scope, b"authorization")
        try:
            recognise = partial(_recognise_key, is_counted=bool(scope.get(COUNTED)))
            return await run_in_thread(recognise, address, read_key_from_header(authorization))
        except (KeyInvalid, KeyMalformed):
            note_refused_key(authorization, PATH)
            raise

    async def _start_handler(self) -> Any:
        if self._handler is not None:
            return self._handler
        self._starting = self._starting or asyncio.Lock()
        async with self._starting:
            if self._handler is None:
                manager = await asyncio.to_thread(_make_manager)
                ready = asyncio.Event()
                self._runner = asyncio.create_task(_run_manager(manager, ready), name="mcp")
                await ready.wait()
                self._handler = manager.handle_request
        return self._handler


def _recognise_key(address: str, shown: str, is_counted: bool) -> tuple[ApiKey, str]:
    key, member = recognise_bearer(address, shown)
    if not is_counted:
        check_rate(key.project.account)
    return key, member


def recognise_bearer(address: str, shown: str) -> tuple[ApiKey, str]:
    """The key of an API key or an OAuth token, and the mail address of the member whose token it is, else ""."""
    if shown.startswith(KEY_PREFIX):
        return recognise_key_from(address, shown), ""
    key, member = find_token_key(shown)
    return key, member.email


RECOGNISERS[PATH] = lambda address, shown: recognise_bearer(address, shown)[0]


def _make_manager() -> Any:
    # Imported with the first request: `McpEndpoint` says why.
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from console.interfaces.mcp.server import make_server

    # Hosts are checked by Django for the calls inside, and no cookie means anything here.
    return StreamableHTTPSessionManager(
        make_server(read_own_version()), json_response=True, stateless=True, max_request_body_size=MAX_BODY
    )


async def _run_manager(manager: Any, ready: asyncio.Event) -> None:
    async with manager.run():
        ready.set()
        await asyncio.Event().wait()


def build_refusal(entry: CatalogueError) -> tuple[int, bytes]:
    """Status and JSON-RPC body of a refusal."""
    error = {
        "code": REFUSED,
        "message": f"[{entry.code}] {entry.text}",
        "data": {"code": entry.code, "cure": entry.cure},
    }
    status = 500 if isinstance(entry, InternalError) else entry.status
    return status, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


async def send_refusal(send: Send, entry: CatalogueError, scope: Scope) -> None:
    status, body = build_refusal(entry)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-request-id", uuid7().hex.encode()),
    ]
    if isinstance(entry, KeyRequired | KeyInvalid | KeyMalformed):
        headers.append((b"www-authenticate", f'Bearer resource_metadata="{get_metadata_uri()}"'.encode()))
    if isinstance(entry, MethodNotAllowed):
        headers.append((b"allow", b"POST"))
    if entry.retry_after is not None:
        headers.append((b"retry-after", str(max(1, round(entry.retry_after))).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
