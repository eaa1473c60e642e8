"""Requests to a provider that a tenant entered: only to public addresses, and to the very address that was checked.

Checked with each connection, because a name may mean another address the next time. Nothing of the environment is used,
no proxy and no credentials; redirects are not followed. What is refused reads like what cannot be reached.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from functools import cache
from typing import Any

import httpcore
import httpx

from memories.engine.protocols import ProviderRefused
from tenancy.errors import InvalidParameters
from tenancy.runtime.address_guard import ParsedUrl, TryLater, is_allowed, resolve_checked_address


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Names become addresses here, once; certificates are compared with the name above this layer."""

    def __init__(self) -> None:
        self._plain = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        target = ParsedUrl("https", host, port, "/")
        try:
            address = await asyncio.to_thread(resolve_checked_address, target)
        except (InvalidParameters, TryLater) as refusal:
            raise httpcore.ConnectError("not reachable") from refusal
        return await self._plain.connect_tcp(address, port, timeout, local_address, socket_options)

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("not reachable")

    async def sleep(self, seconds: float) -> None:
        await self._plain.sleep(seconds)


class CheckedTransport(httpx.AsyncHTTPTransport):
    """httpx's own, over connections that are checked."""

    def __init__(self) -> None:
        super().__init__(verify=load_tls_context(), trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=load_tls_context(), max_connections=1, network_backend=CheckedNetwork()
        )


def build_one_time_client(timeout: httpx.Timeout) -> httpx.AsyncClient:
    """Build a client for one request: a tenant's slow server must not hold connections that another tenant needs."""
    return httpx.AsyncClient(
        transport=CheckedTransport(),
        timeout=timeout,
        trust_env=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_refuse_encoded]},
    )


async def _refuse_encoded(response: httpx.Response) -> None:
    """A few bytes may unpack to gigabytes: nothing is unpacked, and counted is what comes over the wire."""
    if response.headers.get("Content-Encoding", "").strip().lower() not in {"", "identity"}:
        raise ProviderRefused("answered in an encoding that was not asked for")


def is_secure(scheme: str, host: str, port: int) -> bool:
    """Return whether a key may be sent there: in the clear only to what the operator allows."""
    return scheme == "https" or is_allowed(host, port)


@cache
def load_tls_context() -> ssl.SSLContext:
    """One for all connections of a process: reading the certificates takes 50 ms."""
    return httpx.create_ssl_context()
