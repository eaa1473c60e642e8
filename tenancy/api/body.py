"""A body over the limit is refused before it is read whole; few large ones are read at once."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, connection
from django.http.cookie import parse_cookie
from django.utils.http import parse_header_parameters
from psycopg_pool import PoolTimeout

from tenancy.api.rendering import refusal
from tenancy.errors import (
    CatalogueError,
    FilesTooLarge,
    InvalidParameters,
    KeyRequired,
    OperationFailed,
    StorageFull,
    TooManyTokens,
)
from tenancy.identify import identify
from tenancy.models import Project
from tenancy.stored import disk
from tenancy.stored.allowance import bytes_left

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
# Status and body of a refusal, in the envelope of the contract that an address belongs to.
Refusal = Callable[[CatalogueError], tuple[int, bytes]]

MAX_BODY = 10 * 1024 * 1024
MAX_FILE, MAX_FILES_TOTAL = 100 * 1024 * 1024, 300 * 1024 * 1024
# Base64 takes four bytes for three; JSON may escape its slashes and line ends.
GROWTH = 1.5
MAX_UPLOAD = round(MAX_FILES_TOTAL * GROWTH)
# Ends of the addresses whose bodies may hold files.
UPLOADS = ("/add/message", "/add/knowledgebase-file", "/agent_skills")
# The console's, where a session lets the body in as a key does elsewhere.
PAGES, PAGE_UPLOAD = "/p/", "/upload"
UPLOADS_AT_ONCE = 4
# A body is spooled, its files are set aside, and those in Base64 once more without it.
COPIES = 3
# What is no longer is not looked at: it stays in memory.
SMALL_BODY = 64 * 1024
RETRY_SECONDS = 5
# Nobody sends for ever: a whole body in ten minutes, and at any time as much as this rate would have brought.
UPLOAD_SECONDS = 600.0
GRACE_SECONDS = 30.0
LEAST_RATE = 64 * 1024


class BodyTooLarge(Exception):
    pass


class BodyTooSlow(Exception):
    pass


class DiskNearlyFull(Exception):
    pass


class BodyLimit:
    """ASGI: counts what arrives and answers [40305] as soon as it is too much, declared or not.

    Where files may come the limit is theirs [50105], provided the length is declared; four such bodies are read
    at once, and none that cannot fit into what the account may store [40304]. While the disk is nearly full no long
    body is read of an account that holds more than its share, and none ever of a client that sends too slowly [50002].
    """

    def __init__(
        self, application: Any, most: int = MAX_BODY, refusals: Mapping[str, Refusal] | None = None
    ) -> None:
        self.application = application
        self.most = most
        # By how their addresses begin; the rest speak the MemOS contract.
        self._refusals = refusals or {}
        self._uploads = 0
        self._reserved = 0

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        declared = self._declared(scope)
        path = scope["path"].rstrip("/")
        if not _is_readable(_content_type(scope)):
            await self._refuse(scope, send, InvalidParameters("the Content-Type header cannot be read"))
        elif declared > self.most and (path.endswith(UPLOADS) or _is_of_page(path)):
            await self._upload(declared, scope, receive, send)
        elif declared > self.most:
            await self._refuse(scope, send, self._too_large())
        else:
            counted = self._counted(scope, receive, self.most)
            await self._pass_on(scope, counted, send, self._too_large())

    async def _pass_on(
        self, scope: MutableMapping[str, Any], receive: Receive, send: Send, too_large: CatalogueError
    ) -> None:
        try:
            await self.application(scope, _in_time(receive), send)
        except BodyTooLarge:
            await self._refuse(scope, send, too_large)
        except BodyTooSlow:
            await self._refuse(scope, send, _later("the body came too slowly"))
        except DiskNearlyFull:
            await self._refuse(scope, send, _later("the disk is nearly full"))

    async def _upload(
        self, declared: int, scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        if declared > MAX_UPLOAD:
            await self._refuse(scope, send, FilesTooLarge())
            return
        try:
            account = await sync_to_async(_admit)(scope, declared)
        except CatalogueError as refusal:
            await self._refuse(scope, send, refusal)
            return
        except (DatabaseError, PoolTimeout):
            await self._refuse(scope, send, _later("the database is away"))
            return
        room = COPIES * declared
        spare = _free_disk() - self._reserved - room
        if self._uploads >= UPLOADS_AT_ONCE or not await sync_to_async(_bears)(lambda: account, spare):
            await self._refuse(scope, send, _later("too many uploads just now"))
            return
        self._uploads += 1
        self._reserved += room
        try:
            await self._pass_on(scope, self._counted(scope, receive, declared), send, FilesTooLarge())
        finally:
            self._uploads -= 1
            self._reserved -= room

    def _too_large(self) -> CatalogueError:
        return TooManyTokens(f"the body is larger than {self.most // 1024 // 1024} MB")

    @staticmethod
    def _declared(scope: MutableMapping[str, Any]) -> int:
        length = _header(scope, b"content-length")
        return int(length) if length.isascii() and length.isdecimal() else 0

    @staticmethod
    def _counted(scope: MutableMapping[str, Any], receive: Receive, most: int) -> Receive:
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            before, seen = seen, seen + len(message.get("body", b""))
            if seen > most:
                raise BodyTooLarge
            if before <= SMALL_BODY < seen:
                bears = await sync_to_async(_bears)(partial(_account_of, scope), _free_disk())
                if not bears:
                    raise DiskNearlyFull
            return message

        return counted

    async def _refuse(self, scope: MutableMapping[str, Any], send: Send, entry: CatalogueError) -> None:
        own = (one for start, one in self._refusals.items() if scope["path"].startswith(start))
        status, body = next(own, _refusal)(entry)
        headers = [(b"content-type", b"application/json; charset=utf-8"), (b"connection", b"close")]
        if entry.retry_after is not None:
            headers.append((b"retry-after", str(round(entry.retry_after)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _refusal(entry: CatalogueError) -> tuple[int, bytes]:
    return entry.status, json.dumps(refusal(entry.code, entry.text)).encode()


def _later(reason: str) -> CatalogueError:
    return OperationFailed(reason, retry_after=RETRY_SECONDS)


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


def _content_type(scope: MutableMapping[str, Any]) -> str:
    """As Django reads it: said twice, it is joined."""
    told = (value for name, value in scope.get("headers", []) if name == b"content-type")
    return b",".join(told).decode("latin-1")


def _is_readable(content_type: str) -> bool:
    """Django breaks on others while it makes the request, outside every seam for failures."""
    try:
        parse_header_parameters(content_type)
    except ValueError:
        return False
    return True


def _admit(scope: MutableMapping[str, Any], declared: int) -> UUID | None:
    """Whose the body is, before it is read: places for uploads are few, and strangers shall not hold them.

    Raises `StorageFull` when not even what must be left of the body after decoding fits.
    """
    try:
        account = _account_of(scope)
        left = None if account is None else bytes_left(account)
    finally:
        connection.close()  # no request ends in this thread, which would give it back
    least = round((declared - MAX_BODY) / GROWTH)
    if left is not None and least > left:
        raise StorageFull("the body holds more than is left")
    return account


def _bears(account_of: Callable[[], UUID | None], free: int) -> bool:
    """Whether there is room for a long body; whose it is, is asked only when there is little."""
    if free >= disk.LOW_DISK:
        return True
    try:
        return disk.bears(account_of(), free)
    except (CatalogueError, DatabaseError, PoolTimeout):
        return False
    finally:
        connection.close()


def _account_of(scope: MutableMapping[str, Any]) -> UUID | None:
    """The account of the key; on a page that of the project in the address. Whether whoever is signed in may upload
    there is asked again when the body is there."""
    path = scope["path"].rstrip("/")
    if not _is_of_page(path):
        return identify(_header(scope, b"authorization")).account_id
    _require_session(_header(scope, b"cookie"))
    try:
        project = UUID(path.removeprefix(PAGES).partition("/")[0])
    except ValueError:
        return None
    return Project.objects.filter(pk=project).values_list("account_id", flat=True).first()


def _is_of_page(path: str) -> bool:
    return path.startswith(PAGES) and path.endswith(PAGE_UPLOAD)


def _require_session(header: str) -> None:
    """That somebody is signed in."""
    key = parse_cookie(header).get(settings.SESSION_COOKIE_NAME)
    if key is None or SESSION_KEY not in SessionStore(key):
        raise KeyRequired("sign in again")


def _free_disk() -> int:
    """Where bodies are spooled while they are read."""
    return shutil.disk_usage(tempfile.gettempdir()).free
