"""A body over the limit is refused before it is read whole; few large ones are read at once."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, connection
from django.http.cookie import parse_cookie
from psycopg_pool import PoolTimeout

from tenancy.api.rendering import refusal
from tenancy.errors import CatalogueError, FilesTooLarge, KeyRequired, OperationFailed, TooManyTokens
from tenancy.identify import identify

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_BODY = 10 * 1024 * 1024
MAX_FILE, MAX_FILES_TOTAL = 100 * 1024 * 1024, 300 * 1024 * 1024
# A third more for Base64, and room for its line ends.
MAX_UPLOAD = MAX_FILES_TOTAL * 3 // 2
# Ends of the addresses whose bodies may hold files.
UPLOADS = ("/add/message", "/add/knowledgebase-file")
# The console's, where a session lets the body in as a key does elsewhere.
PAGES, PAGE_UPLOAD = "/p/", "/upload"
UPLOADS_AT_ONCE = 4
LEAST_FREE_DISK = 2 * 1024**3
RETRY_SECONDS = 5
# A place is not held for ever: a whole upload in ten minutes, and at any time as much as this rate would have brought.
UPLOAD_SECONDS = 600.0
GRACE_SECONDS = 30.0
LEAST_RATE = 64 * 1024


class BodyTooLarge(Exception):
    pass


class BodyTooSlow(Exception):
    pass


class BodyLimit:
    """ASGI: counts what arrives and answers [40305] as soon as it is too much, declared or not.

    Where files may come the limit is theirs [50105], provided the length is declared; four such bodies are read
    at once, none while the disk is nearly full, and none of a client that sends too slowly [50002].
    """

    def __init__(self, application: Any, most: int = MAX_BODY) -> None:
        self.application = application
        self.most = most
        self._uploads = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        declared = self._declared(scope)
        path = scope["path"].rstrip("/")
        if declared > self.most and (path.endswith(UPLOADS) or _is_of_page(path)):
            await self._upload(declared, scope, receive, send)
        elif declared > self.most:
            await self._refuse(send, self._too_large())
        else:
            try:
                await self.application(scope, self._counted(receive, self.most), send)
            except BodyTooLarge:
                await self._refuse(send, self._too_large())

    async def _upload(
        self, declared: int, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        if declared > MAX_UPLOAD:
            await self._refuse(send, FilesTooLarge())
            return
        try:
            await sync_to_async(_require_entrance)(scope)
        except CatalogueError as refusal:
            await self._refuse(send, refusal)
            return
        except (DatabaseError, PoolTimeout):
            await self._refuse(send, OperationFailed("the database is away", retry_after=RETRY_SECONDS))
            return
        if self._uploads >= UPLOADS_AT_ONCE or _free_disk() < LEAST_FREE_DISK + declared:
            await self._refuse(send, OperationFailed("too many uploads just now", retry_after=RETRY_SECONDS))
            return
        self._uploads += 1
        try:
            await self.application(scope, _in_time(self._counted(receive, declared)), send)
        except BodyTooLarge:
            await self._refuse(send, FilesTooLarge())
        except BodyTooSlow:
            await self._refuse(send, OperationFailed("the body came too slowly", retry_after=RETRY_SECONDS))
        finally:
            self._uploads -= 1

    def _too_large(self) -> CatalogueError:
        return TooManyTokens(f"the body is larger than {self.most // 1024 // 1024} MB")

    @staticmethod
    def _declared(scope: MutableMapping[str, Any]) -> int:
        length = _header(scope, b"content-length")
        return int(length) if length.isascii() and length.isdecimal() else 0

    @staticmethod
    def _counted(receive: Receive, most: int) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise BodyTooLarge
            return message

        return counted

    @staticmethod
    async def _refuse(send: Send, entry: CatalogueError) -> None:
        body = json.dumps(refusal(entry.code, entry.text)).encode()
        headers = [(b"content-type", b"application/json; charset=utf-8"), (b"connection", b"close")]
        if entry.retry_after is not None:
            headers.append((b"retry-after", str(round(entry.retry_after)).encode()))
        await send({"type": "http.response.start", "status": entry.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _in_time(receive: Receive) -> Receive:
    """Raises `BodyTooSlow` while the body is read; what comes after it is the client's hanging up, at any time."""
    began, seen, is_over = time.monotonic(), 0, False

    async def received() -> Message:
        nonlocal seen, is_over
        allowed = None if is_over else min(UPLOAD_SECONDS, GRACE_SECONDS + seen / LEAST_RATE)
        try:
            async with asyncio.timeout(None if allowed is None else began + allowed - time.monotonic()):
                message = await receive()
        except TimeoutError:
            raise BodyTooSlow from None
        seen += len(message.get("body", b""))
        is_over = not message.get("more_body", False)
        return message

    return received


def _header(scope: MutableMapping[str, Any], wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope.get("headers", []) if name == wanted), "")


def _require_entrance(scope: MutableMapping[str, Any]) -> None:
    """Before the body is read: places for uploads are few, and strangers shall not hold them."""
    try:
        if _is_of_page(scope["path"].rstrip("/")):
            _require_session(_header(scope, b"cookie"))
        else:
            identify(_header(scope, b"authorization"))
    finally:
        connection.close()  # no request ends in this thread, which would give it back


def _is_of_page(path: str) -> bool:
    return path.startswith(PAGES) and path.endswith(PAGE_UPLOAD)


def _require_session(header: str) -> None:
    """That somebody is signed in; whether they may upload here is asked again when the body is there."""
    key = parse_cookie(header).get(settings.SESSION_COOKIE_NAME)
    if key is None or SESSION_KEY not in SessionStore(key):
        raise KeyRequired("sign in again")


def _free_disk() -> int:
    """Where bodies are spooled while they are read."""
    return shutil.disk_usage(tempfile.gettempdir()).free
