"""Fetch URLs that clients name: the only module that does so.

Every address of the name must be a public one, and the connection goes to the very address that was checked, on
each redirect anew. No proxy, no cookies, no credentials. All refusals and failures read the same, so that nobody
can map a network with them.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Timer
from typing import Any
from urllib.parse import urljoin

from tenancy.api.bodies.body_limit import MAX_FILE
from tenancy.errors import FileTooLarge
from tenancy.runtime.address_guard import (
    ParsedUrl,
    Resolve,
    TryLater,
    build_fetch_error,
    parse_target,
    resolve_checked_address,
    resolve_host,
)

CONNECT_SECONDS, SILENCE_SECONDS, WHOLE_SECONDS = 5.0, 15.0, 60.0
# Of what comes over the line: packed, a file that cannot be made smaller is a little longer.
MAX_RAW = MAX_FILE + MAX_FILE // 100
MAX_REDIRECTS = 3
PIECE = 64 * 1024
REDIRECTS = {301, 302, 303, 307, 308}


@contextmanager
def fetch_content(
    url: str, resolve: Resolve = resolve_host, seconds: float = WHOLE_SECONDS
) -> Iterator[Iterator[bytes]]:
    """The content of the address, piece by piece. Raises `InvalidParameters` for good, `TryLater` for now.

    It takes `seconds` in all, and `WHOLE_SECONDS` at most.
    """
    until = time.monotonic() + min(seconds, WHOLE_SECONDS)
    target = parse_target(url)
    for _ in range(MAX_REDIRECTS + 1):
        if time.monotonic() > until:
            raise TryLater
        with _open_response(target, resolve_checked_address(target, resolve), until) as answer:
            if answer.status not in REDIRECTS:
                _refuse_status(answer.status)
                yield _read_content(answer, until)
                return
            target = parse_target(urljoin(_build_url(target), answer.headers.get("Location") or "?"))
    raise build_fetch_error()


def _build_url(target: ParsedUrl) -> str:
    return f"{target.scheme}://{target.host_header}{target.path}"


def _refuse_status(status: int) -> None:
    if status in {408, 425, 429} or status >= 500:
        raise TryLater
    if status != 200:
        raise build_fetch_error()


@contextmanager
def _open_response(target: ParsedUrl, address: str, until: float) -> Iterator[http.client.HTTPResponse]:
    with _mapping_errors():
        connection = _PinnedConnection(target, address)
        # Time-outs of reads start anew with every byte; this ends the connection whatever it does.
        alarm = Timer(max(0.0, until - time.monotonic()), _hang_up, [connection])
        alarm.daemon = True
        alarm.start()
        try:
            connection.connect()
            connection.request(
                "GET",
                target.path,
                headers={"Host": target.host_header, "Accept-Encoding": "identity", "User-Agent": "Engram"},
            )
            # Close the response explicitly: with `Connection: close`, http.client detaches it from the connection.
            with connection.getresponse() as answer:
                yield answer
        finally:
            alarm.cancel()
            connection.close()


@contextmanager
def _mapping_errors() -> Iterator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise build_fetch_error() from error
    except (OSError, http.client.HTTPException) as error:
        raise TryLater from error


def _hang_up(connection: _PinnedConnection) -> None:
    connected = connection.line
    try:
        if connected is not None:
            # Shut the socket down, not the TLS layer: `SSLSocket.unwrap` is not safe while another thread reads.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)
    except OSError:
        return  # closed in the same moment


class _PinnedConnection(http.client.HTTPConnection):
    """Connects to the checked address; name, certificate and Host stay those of the URL."""

    def __init__(self, target: ParsedUrl, address: str) -> None:
        super().__init__(target.host, target.port, timeout=SILENCE_SECONDS)
        self._target = target
        self._address = address
        # `sock` is forgotten when the head of an answer says that the server will close, before its content is read.
        self.line: socket.socket | None = None

    def connect(self) -> None:
        connected = socket.create_connection((self._address, self._target.port), CONNECT_SECONDS)
        connected.settimeout(SILENCE_SECONDS)
        self.sock: Any = connected
        self.line = self.sock
        if self._target.scheme == "https":
            self.sock = _get_tls_context().wrap_socket(
                connected, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            self.line = self.sock
            # Only now, when the connection can be closed: a server may never finish its handshake.
            self.sock.do_handshake()


@cache
def _get_tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _read_content(answer: http.client.HTTPResponse, until: float) -> Iterator[bytes]:
    encoding = (answer.headers.get("Content-Encoding") or "identity").strip().lower()
    if encoding in {"gzip", "x-gzip", "deflate"}:
        return _decompress_pieces(_read_raw(answer, until))
    if encoding not in {"identity", ""}:
        raise build_fetch_error()
    return _read_raw(answer, until)


def _read_raw(answer: http.client.HTTPResponse, until: float) -> Iterator[bytes]:
    size = 0
    with _mapping_errors():
        while piece := answer.read(PIECE):
            size += len(piece)
            if size > MAX_RAW:
                raise FileTooLarge
            if time.monotonic() > until:
                raise TryLater
            yield piece
    # What was announced and did not come: `read` of a given size keeps silent about it.
    if answer.length or time.monotonic() > until:
        raise TryLater


def _decompress_pieces(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress piece by piece, so that the caller can stop a decompression bomb. Trailing data is refused."""
    inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    try:
        for piece in pieces:
            while piece:
                yield inflate.decompress(piece, PIECE)
                piece = inflate.unconsumed_tail
                if inflate.unused_data:
                    raise build_fetch_error()
    except zlib.error:
        raise build_fetch_error() from None
