"""Limit HTTP connections: how many in all and of one address, and how long and large a request head may be.

uvicorn's own options do not do that: `--limit-concurrency` answers everybody 503 once idle connections are too many,
`--timeout-keep-alive` begins with an answer, and its limit of a head's size is h11's. So this is a subclass of its
protocol, named by `--http` and `--ws`. How fast a body has to come is watched where it is read
(`tenancy.api.bodies.body_limit`).
"""

from __future__ import annotations

import logging
import resource
import time
from asyncio import TimerHandle, Transport
from collections import Counter
from http import HTTPStatus
from typing import Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from console.configuration import environment

log = logging.getLogger(__name__)

# From the opening of a connection, or the first byte of a later request on it, to the end of the head.
HEAD_SECONDS = 10.0
# Of one head with its address, and of the trailers of a chunked body.
MAX_HEAD = 64 * 1024
# Requests that wait on one connection for the answer to the first.
MAX_PIPELINED = 16
# A client takes at least so much of an answer that waits for it within this time.
SENT_SECONDS, LEAST_SENT = 60.0, 10 * 1024
RETRY_SECONDS = 5
# Beyond the bound, for the supervisor, which must be able to ask whether the process answers.
SPARE_FOR_LOOPBACK = 16
LOOPBACK = ("127.0.0.1", "::1")
# File descriptors for everything that is no client: database, Redis, models, files.
OTHER_DESCRIPTORS = 512
LOG_SECONDS = 60.0


class Refusals:
    """Counts what was refused, for one line a minute: a line each would let strangers fill the log."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._next = 0.0

    def note(self, reason: str) -> None:
        self._counts[reason] += 1
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LOG_SECONDS
            for each, count in self._counts.items():
                log.warning("connections_refused", extra={"reason": each, "count": count})
            self._counts.clear()


class Connections:
    """The open connections of this process, by the address that they come from; "" where a proxy is trusted."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self.refusals = Refusals()
        self._most, self._most_of_one = most, most_of_one
        self._addresses: dict[Transport, str] = {}
        self._of: Counter[str] = Counter()
        # Those with no request at work, the longest waiting first.
        self._waiting: dict[Transport, None] = {}

    def open(self, transport: Transport, address: str, is_proxy: bool) -> HTTPStatus | None:
        """Takes a new connection in, or says with which status it is to be refused.

        Where there are too many in all, the one that has waited longest without a request gives way.
        """
        if not is_proxy and self._of[address] >= self._most_of_one:
            self.refusals.note("too many of one address")
            return HTTPStatus.TOO_MANY_REQUESTS
        if len(self._addresses) >= self._most and not self._close_idle_connection(address):
            self.refusals.note("too many in all")
            return HTTPStatus.SERVICE_UNAVAILABLE
        counted = "" if is_proxy else address
        self._addresses[transport] = counted
        self._of[counted] += 1
        self._waiting[transport] = None
        return None

    def _close_idle_connection(self, address: str) -> bool:
        idle = next(iter(self._waiting), None)
        if idle is not None:
            self.refusals.note("closed to make room")
            self.close(idle)
            idle.abort()
            return True
        return address in LOOPBACK and len(self._addresses) < self._most + SPARE_FOR_LOOPBACK

    def is_at_work(self, transport: Transport) -> None:
        self._waiting.pop(transport, None)

    def is_waiting(self, transport: Transport) -> None:
        if transport in self._addresses:
            self._waiting[transport] = None

    def close(self, transport: Transport) -> None:
        """Idempotent; of one that was never taken in, too."""
        self._waiting.pop(transport, None)
        address = self._addresses.pop(transport, None)
        if address is not None:
            self._of[address] -= 1
            if not self._of[address]:
                del self._of[address]


def _limit_connections() -> int:
    """As many as are asked for, if the process may have so many files open."""
    asked = environment.read_web_connections()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard > soft:
        allowed = asked + OTHER_DESCRIPTORS
        soft = allowed if hard == resource.RLIM_INFINITY else min(max(soft, allowed), hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return asked if soft == resource.RLIM_INFINITY else max(1, min(asked, soft - OTHER_DESCRIPTORS))


connections = Connections(_limit_connections(), environment.read_web_connections_per_address())


class BoundedHTTP(HttpToolsProtocol):
    """uvicorn's protocol, with bounds."""

    _is_in_head = False
    _head_timer: TimerHandle | None = None
    _head_size = 0
    # Bytes since the parser last came to the end of something.
    _unparsed = 0
    _unsent = 0
    _fault = HTTPStatus.BAD_REQUEST

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        refused = connections.open(transport, address, self._is_proxy(address))
        if refused is not None:
            self._answer_status(refused)
        else:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._head_is_late)

    def _is_proxy(self, address: str) -> bool:
        """Return whether the address stands for many clients, whose own are in its headers."""
        application: Any = self.config.loaded_app
        return isinstance(application, ProxyHeadersMiddleware) and address in application.trusted_hosts

    def connection_lost(self, exc: Exception | None) -> None:
        connections.close(self.transport)
        self._stop_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._unparsed += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._unparsed > MAX_HEAD:
            connections.refusals.note("head too large")
            self._answer_status(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif self._is_in_head and self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._head_is_late)

    def on_message_begin(self) -> None:
        self._is_in_head, self._head_size = True, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count_bytes(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count_bytes(len(name) + len(value))
        super().on_header(name, value)

    def _count_bytes(self, size: int) -> None:
        self._head_size += size
        if self._head_size > MAX_HEAD:
            self._break_off(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "head too large")

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            self._break_off(HTTPStatus.TOO_MANY_REQUESTS, "too many at once on one connection")
        self._is_in_head, self._unparsed = False, 0
        self._stop_head_timer()
        connections.is_at_work(self.transport)
        super().on_headers_complete()

    def _break_off(self, status: HTTPStatus, reason: str) -> None:
        """The parser stops at an exception, and uvicorn then calls `send_400_response`."""
        connections.refusals.note(reason)
        self._fault = status
        raise ValueError(reason)

    def on_body(self, body: bytes) -> None:
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unparsed = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if not self.pipeline:
            connections.is_waiting(self.transport)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._answer_status(self._fault)

    def handle_websocket_upgrade(self) -> None:
        self._stop_head_timer()
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unsent = self.transport.get_write_buffer_size()
        self.loop.call_later(SENT_SECONDS, self._look_what_was_sent, self._unsent)

    def _look_what_was_sent(self, unsent: int) -> None:
        """A client that does not read its answer would hold it, and a place, as long as it likes."""
        if not self.flow.write_paused or self.transport.is_closing() or unsent != self._unsent:
            return  # it has read on since, and another look is due for what waits now
        self._unsent = self.transport.get_write_buffer_size()
        if unsent - self._unsent < LEAST_SENT:
            connections.refusals.note("answer not read")
            self.transport.abort()
        else:
            self.loop.call_later(SENT_SECONDS, self._look_what_was_sent, self._unsent)

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self.flow.read_paused:  # the client may have sent it; it is this process that does not read
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._head_is_late)
        elif self._is_in_head:
            connections.refusals.note("head too slow")
            self._answer_status(HTTPStatus.REQUEST_TIMEOUT)
        else:
            self.transport.close()

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _answer_status(self, status: HTTPStatus) -> None:
        """Says why, and hangs up; nothing is said into an answer that is being sent."""
        if self.cycle is None or self.cycle.response_complete:
            words = status.phrase.encode()
            retry = b"retry-after: %d\r\n" % RETRY_SECONDS if status in {429, 503} else b""
            self.transport.write(
                b"HTTP/1.1 %d %s\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n%s"
                b"connection: close\r\n\r\n%s" % (status, words, len(words), retry, words)
            )
        self.transport.close()


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's protocol for a connection that `BoundedHTTP` has counted."""

    def connection_lost(self, exc: Exception | None) -> None:
        connections.close(self.transport)
        super().connection_lost(exc)
