"""Limit request bodies: large ones are refused early, and only few are read at once, of known senders."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.utils.http import parse_header_parameters
from psycopg_pool import PoolTimeout

from tenancy.api.bodies.bytes_in_flight import BytesInFlight, HeldBytes
from tenancy.api.bodies.read_rate import Pace
from tenancy.api.identify_sender import PAGES, Scope, Sender, identify_sender, read_header, run_in_thread
from tenancy.api.rendering import build_refusal
from tenancy.errors import (
    CatalogueError,
    FilesTooLarge,
    InvalidParameters,
    OperationFailed,
    RateLimited,
    StorageFull,
    TooManyTokens,
)
from tenancy.ids import uuid7
from tenancy.storage import disk
from tenancy.storage.allowance import get_bytes_left

Result = TypeVar("Result")
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
# Status and body of an error, in the envelope of the contract that an address belongs to.
ErrorBody = Callable[[CatalogueError], tuple[int, bytes]]

MAX_BODY = 10 * 1024 * 1024
MAX_FILE, MAX_FILES_TOTAL = 100 * 1024 * 1024, 300 * 1024 * 1024
# Base64 takes four bytes for three; JSON may escape its slashes and line ends.
GROWTH = 1.5
MAX_UPLOAD = round(MAX_FILES_TOTAL * GROWTH)
# Ends of the addresses whose bodies may hold files.
UPLOADS = ("/add/message", "/add/knowledgebase-file", "/agent_skills")
# The console's, where a session lets the body in as a key does elsewhere.
PAGE_UPLOAD = "/upload"
UPLOADS_AT_ONCE, UPLOADS_OF_ONE = 4, 2
# A body is spooled, its files are set aside, and those in Base64 once more without it.
COPIES = 3
# What is no longer is read without asking who sends it: the web server holds as much of any body in any case.
SMALL_BODY = 64 * 1024
RETRY_SECONDS = 5
# Time limits for slow senders: ten minutes for a whole body, and at least this average rate for a long one.
UPLOAD_SECONDS = 600.0
GRACE_SECONDS = 30.0
LEAST_RATE = 64 * 1024
# Nor do they pause: 1 KB a second over each such time, a tenth less for one second's that falls into the next.
WINDOW_SECONDS, LEAST_LATELY = 10.0, 920
# Of a body that was refused: time enough for what many clients send at once at the pace they are read with.
DRAIN_SECONDS, MAX_DRAINED = 30.0, 2 * MAX_BODY
# Whose pace the bodies of unknown senders have together.
UNKNOWN = "unknown"


class BodyTooSlow(Exception):
    pass


class BodyLimit:
    """ASGI: no long body is read before its sender is known, within their rate, and there is space for it.

    What arrives is counted, and answered [40305] as soon as it is too much, declared or not. Long bodies, those over
    `SMALL_BODY`, of `settings.BODY_MEGABYTES` are handled at once, and half as much of one account or person is read
    [40300, 429]. Where files may come the limit is theirs [50105], provided the length is declared; `UPLOADS_AT_ONCE`
    such bodies are read at once, and none that cannot fit into what the account may store [40304]. While the disk is
    nearly full no long body is read of an account that holds more than its share, and none ever of a client that sends
    too slowly [50002].
    """

    def __init__(
        self,
        application: Any,
        most: int = MAX_BODY,
        error_bodies: Mapping[str, ErrorBody] | None = None,
        after_long: Callable[[], None] | None = None,
    ) -> None:
        """`after_long` is called when a long body was handled."""
        self.application = application
        self.most = most
        self._after_long = after_long
        self._error_bodies = error_bodies or {}
        self._in_flight = BytesInFlight(
            settings.BODY_MEGABYTES * 1024**2, settings.BODY_MEGABYTES * 1024**2 // 2
        )
        self._pace = Pace()
        self._uploads: Counter[str] = Counter()
        self._reserved = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = _Body(receive, self._pace)
        try:
            await self._read_body(scope, body, send)
        except CatalogueError as refusal:
            await self._refuse_request(scope, send, refusal, None if body.is_over else body)
        except BodyTooSlow:
            await self._refuse_request(scope, send, _build_busy_error("the body came too slowly"), None)

    async def _read_body(self, scope: Scope, body: _Body, send: Send) -> None:
        declared, is_chunked = _read_declared_length(scope), bool(read_header(scope, b"transfer-encoding"))
        path = scope["path"].rstrip("/")
        if not _is_readable(_read_content_type(scope)):
            raise InvalidParameters("the Content-Type header cannot be read")
        if declared > self.most and not (path.endswith(UPLOADS) or _is_of_page(path)):
            raise self._build_too_large_error()
        if declared > MAX_UPLOAD:
            raise FilesTooLarge
        if declared <= SMALL_BODY and not is_chunked:
            await self.application(
                scope, _count_received_bytes(body, SMALL_BODY, self._build_too_large_error()), send
            )
            return
        sender = await _query_in_thread(identify_sender, scope)
        body.sender = sender.name
        try:
            await self._read_long(sender, declared, scope, body, send)
        finally:
            if self._after_long is not None and body.seen > SMALL_BODY:
                self._after_long()

    async def _read_long(self, sender: Sender, declared: int, scope: Scope, body: _Body, send: Send) -> None:
        if declared > self.most:
            await self._receive_upload(sender, declared, scope, body, send)
            return
        with self._in_flight.begin(sender.name) as held:
            held.reserve_up_to(declared)
            receive = _count_received_bytes(body, self.most, self._build_too_large_error(), sender, held)
            await self.application(scope, receive, _release_after_first(send, held))

    async def _receive_upload(
        self, sender: Sender, declared: int, scope: Scope, body: _Body, send: Send
    ) -> None:
        await _query_in_thread(_require_space, sender, declared)
        needed = COPIES * declared
        if self._uploads[sender.name] >= UPLOADS_OF_ONE:
            raise RateLimited(f"at most {UPLOADS_OF_ONE} uploads at once", retry_after=RETRY_SECONDS)
        if not await _has_space_for(sender, _free_disk() - self._reserved - needed):
            raise _build_busy_error("too many uploads just now")
        if self._uploads.total() >= UPLOADS_AT_ONCE:
            raise _build_busy_error("too many uploads just now")
        self._uploads[sender.name] += 1
        self._reserved += needed
        try:
            await self.application(
                scope, _count_received_bytes(body, declared, FilesTooLarge(), sender), send
            )
        finally:
            self._uploads[sender.name] -= 1
            if not self._uploads[sender.name]:
                del self._uploads[sender.name]
            self._reserved -= needed

    def _build_too_large_error(self) -> CatalogueError:
        return TooManyTokens(f"the body is larger than {self.most // 1024 // 1024} MB")

    async def _refuse_request(
        self, scope: Scope, send: Send, entry: CatalogueError, unread: _Body | None
    ) -> None:
        status, body = choose_error_body(self._error_bodies, scope["path"])(entry)
        headers = [
            (b"content-type", b"application/json; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", uuid7().hex.encode()),
            (b"x-engram-remedy", entry.cure.encode("ascii", "replace")),
            (b"connection", b"close"),
        ]
        if entry.retry_after is not None:
            headers.append((b"retry-after", str(max(1, round(entry.retry_after))).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        if unread is not None:
            await unread.drain()
        await send({"type": "http.response.body", "body": b""})


async def _query_in_thread(work: Callable[..., Result], *about: Any) -> Result:
    try:
        return await run_in_thread(work, *about)
    except (DatabaseError, PoolTimeout):
        raise _build_busy_error("the database is away") from None


def _require_space(sender: Sender, declared: int) -> None:
    """Raise `StorageFull` when not even the smallest decoded size of the body fits."""
    left = None if sender.account is None else get_bytes_left(sender.account)
    if left is not None and round((declared - MAX_BODY) / GROWTH) > left:
        raise StorageFull("the body holds more than is left")


async def _has_space_for(sender: Sender, free: int) -> bool:
    """Return whether the disk has space for a long body; the account's stored bytes are queried only when space is
    short."""
    if free >= disk.LOW_DISK:
        return True
    return await _query_in_thread(disk.has_space_for, sender.account, free)


def _read_declared_length(scope: Scope) -> int:
    length = read_header(scope, b"content-length")
    return int(length) if length.isascii() and length.isdecimal() else 0


def _count_received_bytes(
    body: _Body,
    most: int,
    too_large: CatalogueError,
    sender: Sender | None = None,
    held: HeldBytes | None = None,
) -> Receive:
    """Count received bytes. Raises `too_large` above the limit, and what stops a long body of this sender."""

    async def counted() -> Message:
        if body.is_over:
            return await body.receive()
        before, message = body.seen, await body.receive()
        if body.seen > most:
            raise too_large
        if sender and before <= SMALL_BODY < body.seen and not await _has_space_for(sender, _free_disk()):
            raise _build_busy_error("the disk is nearly full")
        if held is not None:
            held.reserve_up_to(body.seen)
            if body.is_over:
                await held.start_handling()
        return message

    return counted


def _release_after_first(send: Send, held: HeldBytes) -> Send:
    """Release the body when the answer begins; the rest, which may stream for minutes, does not need it."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            held.end_handling()
        await send(message)

    return sent


class _Body:
    """A request body while it is received."""

    def __init__(self, receive: Receive, pace: Pace) -> None:
        self._receive, self._pace = receive, pace
        # Of a long body, once it is known.
        self.sender = ""
        # Of the reading: until then nobody waits for the client.
        self._began = self._window_began = 0.0
        self._window_seen = 0
        self.seen = 0
        self.is_over = False

    async def receive(self) -> Message:
        """The next piece. Raises `BodyTooSlow`; what comes after the body is the client's hanging up, at any time."""
        self._began = self._began or time.monotonic()
        self._window_began = self._window_began or self._began
        message = await self._receive() if self.is_over else await self._receive_piece()
        self.seen += len(message.get("body", b""))
        self._window_seen += len(message.get("body", b""))
        self.is_over = not message.get("more_body", False)
        if self.sender and not self.is_over:
            await self._pace.wait(self.sender, len(message.get("body", b"")))
        return message

    async def _receive_piece(self) -> Message:
        allowed = GRACE_SECONDS + self.seen / LEAST_RATE if self.sender else UPLOAD_SECONDS
        whole = self._began + min(UPLOAD_SECONDS, allowed)
        while True:
            try:
                async with asyncio.timeout(
                    min(whole, self._window_began + WINDOW_SECONDS) - time.monotonic()
                ):
                    return await self._receive()
            except TimeoutError:
                if time.monotonic() >= whole or self._window_seen < WINDOW_SECONDS * LEAST_LATELY:
                    raise BodyTooSlow from None
                self._window_began, self._window_seen = time.monotonic(), 0

    async def drain(self) -> None:
        """Throws the rest away for a while: if the connection were reset at once, the client might never read
        why its body was refused."""
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while not self.is_over and self.seen < MAX_DRAINED:
                    self.is_over = not (message := await self._receive()).get("more_body", False)
                    size = len(message.get("body", b""))
                    self.seen += size
                    if not self.is_over:
                        await self._pace.wait(self.sender or UNKNOWN, size)
        except TimeoutError:
            return


def choose_error_body(error_bodies: Mapping[str, ErrorBody], path: str) -> ErrorBody:
    """The first whose beginning of addresses fits; what fits none speaks the MemOS contract."""
    own = (build for beginning, build in error_bodies.items() if path.startswith(beginning))
    return next(own, _write_memos_error_body)


def _write_memos_error_body(entry: CatalogueError) -> tuple[int, bytes]:
    return entry.status, json.dumps(build_refusal(entry.code, entry.text)).encode()


def _build_busy_error(reason: str) -> CatalogueError:
    return OperationFailed(reason, retry_after=RETRY_SECONDS)


def _read_content_type(scope: Scope) -> str:
    """The content type as Django reads it: repeated headers are joined."""
    values = (value for name, value in scope.get("headers", []) if name == b"content-type")
    return b",".join(values).decode("latin-1")


def _is_readable(content_type: str) -> bool:
    """Return whether Django can parse this content type; others make it fail outside of all error handlers."""
    try:
        parse_header_parameters(content_type)
    except ValueError:
        return False
    return True


def _is_of_page(path: str) -> bool:
    return path.startswith(PAGES) and path.endswith(PAGE_UPLOAD)


def _free_disk() -> int:
    """Free bytes where request bodies are spooled."""
    return shutil.disk_usage(tempfile.gettempdir()).free
