"""Reading a stranger's address: the one place that fetches what a client named.

Every address of the name must be a public one, and the connection goes to the very address that was checked, on
each redirect anew. No proxy, no cookies, no credentials. All refusals and failures read the same, so that nobody
can map a network with them.
"""

from __future__ import annotations

import http.client
import ipaddress
import re
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from queue import Empty, SimpleQueue
from threading import Thread, Timer
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from django.conf import settings

from tenancy.api.body import MAX_FILE
from tenancy.errors import FileTooLarge, InvalidParameters

RESOLVE_SECONDS, CONNECT_SECONDS, SILENCE_SECONDS, WHOLE_SECONDS = 5.0, 5.0, 15.0, 60.0
# Of what comes over the line: packed, a file that cannot be made smaller is a little longer.
MAX_RAW = MAX_FILE + MAX_FILE // 100
MAX_REDIRECTS = 3
MAX_URL = 4_000
PORTS = {"http": 80, "https": 443}
PIECE = 64 * 1024
REDIRECTS = {301, 302, 303, 307, 308}
# Public by their number, but they carry an inner address to wherever they like.
_TUNNELS = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")]

_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9a-fA-F:.]+")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], list[str]]


def could_not_fetch() -> InvalidParameters:
    """One sentence for every reason."""
    cure = "Check that the address opens for everybody, without a sign-in; or upload the file itself."
    return InvalidParameters("could not fetch the URL", cure=cure)


class TryLater(Exception):
    """The server was not reached or broke off: the same address may answer later."""


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart once; everything after works with the parts."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == PORTS[self.scheme] else f"{name}:{self.port}"


def target_of(url: str) -> Target:
    """Raises `InvalidParameters` for what is no plain http or https address."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        host = host if ":" in host else host.encode("idna").decode()
    except (ValueError, UnicodeError):
        raise could_not_fetch() from None
    if len(url) > MAX_URL or scheme not in PORTS or not _HOST.fullmatch(host) or "@" in parts.netloc:
        raise could_not_fetch()
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (
        "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?") if parts.query else ""
    )
    return Target(scheme, host, port or PORTS[scheme], path)


def is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and (
        address.ipv4_mapped or address.scope_id or any(address in tunnel for tunnel in _TUNNELS)
    ):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _system_resolve(host: str, port: int) -> list[str]:
    """The system asks its name servers for as long as it likes; a question that takes too long is left to itself."""
    answers: SimpleQueue[list[str] | Exception] = SimpleQueue()
    Thread(target=_look_up, args=(host, port, answers), name="resolver", daemon=True).start()
    try:
        answer = answers.get(timeout=RESOLVE_SECONDS)
    except Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _look_up(host: str, port: int, answers: SimpleQueue[list[str] | Exception]) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as fault:
        answers.put(fault)
    else:
        answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))


def checked_address(target: Target, resolve: Resolve = _system_resolve) -> str:
    """The address to connect to. Raises `InvalidParameters` unless all of the name's are public."""
    is_allowed = f"{target.host}:{target.port}" in settings.FETCH_ALLOW
    if target.port not in PORTS.values() and not is_allowed:
        raise could_not_fetch()
    try:
        addresses = resolve(target.host, target.port)
    except OSError as fault:
        raise TryLater from fault
    if not addresses or not (is_allowed or all(_is_public_text(one) for one in addresses)):
        raise could_not_fetch()
    return addresses[0]


def _is_public_text(text: str) -> bool:
    try:
        return is_public(ipaddress.ip_address(text))
    except ValueError:
        return False


@contextmanager
def fetching(url: str, resolve: Resolve = _system_resolve) -> Iterator[Iterator[bytes]]:
    """The content of the address, piece by piece. Raises `InvalidParameters` for good, `TryLater` for now."""
    until = time.monotonic() + WHOLE_SECONDS
    target = target_of(url)
    for _ in range(MAX_REDIRECTS + 1):
        if time.monotonic() > until:
            raise TryLater
        with _asked(target, checked_address(target, resolve), until) as answer:
            if answer.status not in REDIRECTS:
                _refuse_status(answer.status)
                yield _content(answer, until)
                return
            target = target_of(urljoin(_url(target), answer.headers.get("Location") or "?"))
    raise could_not_fetch()


def _url(target: Target) -> str:
    return f"{target.scheme}://{target.host_header}{target.path}"


def _refuse_status(status: int) -> None:
    if status in {408, 425, 429} or status >= 500:
        raise TryLater
    if status != 200:
        raise could_not_fetch()


@contextmanager
def _asked(target: Target, address: str, until: float) -> Iterator[http.client.HTTPResponse]:
    with _failing_alike():
        connection = _Pinned(target, address)
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
            # Closed by itself: of a server that says it will hang up, the connection lets the answer go.
            with connection.getresponse() as answer:
                yield answer
        finally:
            alarm.cancel()
            connection.close()


@contextmanager
def _failing_alike() -> Iterator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as fault:
        raise could_not_fetch() from fault
    except (OSError, http.client.HTTPException) as fault:
        raise TryLater from fault


def _hang_up(connection: http.client.HTTPConnection) -> None:
    connected: socket.socket | None = connection.sock
    try:
        if connected is not None:
            # Not TLS's own way, which takes its state from under the thread that reads.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)
    except OSError:
        return  # closed in the same moment


class _Pinned(http.client.HTTPConnection):
    """Connects to the checked address; name, certificate and Host stay those of the URL."""

    def __init__(self, target: Target, address: str) -> None:
        super().__init__(target.host, target.port, timeout=SILENCE_SECONDS)
        self._target = target
        self._address = address

    def connect(self) -> None:
        connected = socket.create_connection((self._address, self._target.port), CONNECT_SECONDS)
        connected.settimeout(SILENCE_SECONDS)
        self.sock: Any = connected
        if self._target.scheme == "https":
            self.sock = _trust().wrap_socket(
                connected, server_hostname=self._target.host, do_handshake_on_connect=False
            )
            # Now that it can be hung up: a server may take for ever over its greeting.
            self.sock.do_handshake()


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


def _content(answer: http.client.HTTPResponse, until: float) -> Iterator[bytes]:
    encoding = (answer.headers.get("Content-Encoding") or "identity").strip().lower()
    if encoding in {"gzip", "x-gzip", "deflate"}:
        return _inflated(_raw(answer, until))
    if encoding not in {"identity", ""}:
        raise could_not_fetch()
    return _raw(answer, until)


def _raw(answer: http.client.HTTPResponse, until: float) -> Iterator[bytes]:
    size = 0
    with _failing_alike():
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


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Never more at once than a piece, so that whoever counts can stop a bomb. What follows the end is refused."""
    inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    try:
        for piece in pieces:
            while piece:
                yield inflate.decompress(piece, PIECE)
                piece = inflate.unconsumed_tail
                if inflate.unused_data:
                    raise could_not_fetch()
    except zlib.error:
        raise could_not_fetch() from None
