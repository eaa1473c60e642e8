"""Which strangers' addresses the server may connect to: nobody reaches its own network through it.

Every address of a name must be a public one, and the connection goes to the very address that was checked. Refusals all
read the same, so that nobody can map a network with them.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.parse import quote, urlsplit

from django.conf import settings

from tenancy.errors import InvalidParameters

RESOLVE_SECONDS = 5.0
MAX_URL = 4_000
PORTS = {"http": 80, "https": 443}
# Public by their number, but they carry an inner address to wherever they like.
_TUNNELS = ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "192.88.99.0/24")
# Some networks still use the site-local addresses of old; the second net is for examples, and newer than the library.
_OF_NOBODY = ("fec0::/10", "3fff::/20")
# Public by their number, and answered inside a provider's network only: Azure's host and its metadata, the services of
# IBM's cloud, Google's private and restricted API addresses and its load balancers' own.
_OF_PROVIDERS = (
    *("168.63.129.16/32", "161.26.0.0/16", "166.8.0.0/14"),
    *("199.36.153.0/28", "35.199.192.0/19", "2600:2d00:2:1000::/64", "2600:2d00:1:b029::/64"),
)
_REFUSED = [ipaddress.ip_network(net) for net in (*_TUNNELS, *_OF_NOBODY, *_OF_PROVIDERS)]
# All IPv6 addresses that anybody was ever given are in here; the library does not know all nets outside.
_GIVEN = ipaddress.ip_network("2000::/3")
# The middle of an address that ISATAP made of an inner one, with the bit for "worldwide" or without.
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})

_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9a-fA-F:.]+")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], list[str]]


def build_fetch_error() -> InvalidParameters:
    """One sentence for every reason."""
    cure = "Check that the address opens for everybody, without a sign-in; or upload the file itself."
    return InvalidParameters("could not fetch the URL", cure=cure)


class TryLater(Exception):
    """The server was not reached or broke off: the same address may answer later."""


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """A URL taken apart once; everything after works with the parts."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == PORTS[self.scheme] else f"{name}:{self.port}"


def parse_target(url: str) -> ParsedUrl:
    """Raises `InvalidParameters` for what is no plain http or https address."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        host = host if ":" in host else host.encode("idna").decode()
    except (ValueError, UnicodeError):
        raise build_fetch_error() from None
    if len(url) > MAX_URL or scheme not in PORTS or not _HOST.fullmatch(host) or "@" in parts.netloc:
        raise build_fetch_error()
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (
        "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?") if parts.query else ""
    )
    return ParsedUrl(scheme, host, port or PORTS[scheme], path)


def is_public(address: Address) -> bool:
    if any(address in net for net in _REFUSED):
        return False
    if isinstance(address, ipaddress.IPv6Address) and (
        address.ipv4_mapped or address.scope_id or address not in _GIVEN or _is_isatap(address)
    ):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _is_isatap(address: ipaddress.IPv6Address) -> bool:
    return int(address) >> 32 & 0xFFFFFFFF in _ISATAP


def resolve_host(host: str, port: int) -> list[str]:
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
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        answers.put(error)
    else:
        answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in entries)))


def is_allowed(host: str, port: int) -> bool:
    """Return whether the operator lets tenants reach it, wherever it is."""
    return f"{host}:{port}" in settings.FETCH_ALLOW


def resolve_checked_address(target: ParsedUrl, resolve: Resolve = resolve_host) -> str:
    """The address to connect to. Raises `InvalidParameters` unless all of the name's are public."""
    allowed = is_allowed(target.host, target.port)
    if target.port not in PORTS.values() and not allowed:
        raise build_fetch_error()
    try:
        addresses = resolve(target.host, target.port)
    except OSError as error:
        raise TryLater from error
    if not addresses or not (allowed or all(_is_public_text(address) for address in addresses)):
        raise build_fetch_error()
    return addresses[0]


def _is_public_text(text: str) -> bool:
    try:
        return is_public(ipaddress.ip_address(text))
    except ValueError:
        return False
