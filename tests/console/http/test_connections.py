"""Connections that cost their server more than their client: slow heads, idle ones by the thousand, endless heads."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from socket import create_connection, socket

import httpx
import psutil
import pytest
from websockets.sync.client import connect

from console.embedded.stack import Stack
from console.http.connections import HEAD_SECONDS, MAX_HEAD
from console.http.realtime.socket import SIGNED_OUT
from tests.support.api_client import Tenant
from tests.support.console.sockets import feed, read_close_code, signed_in
from tests.support.installations import own_web
from tests.support.servers.loops import run
from tests.support.waiting import LIMIT, let_loop_run, wait_until

MOST, MOST_OF_ONE = 120, 40
STRANGER, PROXY = "127.0.0.2", "127.0.0.3"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
BRIEF = 4.0  # for connections of which nothing more is expected


@pytest.fixture(scope="module")
def own(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("connections")
    bounds = {
        "WEB_CONNECTIONS": str(MOST),
        "WEB_CONNECTIONS_PER_ADDRESS": str(MOST_OF_ONE),
        "WEB_THREADS": "4",
    }
    with own_web(stack, folder, FORWARDED_ALLOW_IPS=PROXY, **bounds) as web:
        wait_until(lambda: is_served(web))
        yield web


def is_served(stack: Stack) -> bool:
    try:
        return (
            httpx.get(f"{stack.url}/healthz", timeout=LIMIT, trust_env=False, verify=False).status_code == 200
        )
    except httpx.TransportError:
        return False


def opened(stack: Stack, address: str, through: ExitStack) -> socket:
    return through.enter_context(
        create_connection(("127.0.0.1", stack.port), timeout=LIMIT, source_address=(address, 0))
    )


def status_on(connection: socket, sent: bytes = HEALTH + b"\r\n") -> int:
    """0 where the server hung up."""
    with suppress(ConnectionError):
        connection.sendall(sent)
        answer = more = connection.recv(4000)
        while more and answer.startswith(b"HTTP/1.1 200 ") and b"}" not in answer:
            answer += (more := connection.recv(4000))
        return int(answer.split()[1]) if answer else 0
    return 0


async def until_hung_up(port: int, pieces: Iterator[bytes], pause: float) -> tuple[float, bytes]:
    """How long a client was borne that sends a piece at a time, and what it was told."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began = time.monotonic()

    async def send() -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await let_loop_run(pause)  # as a slow client pauses between pieces

    sending = asyncio.create_task(send())
    async with asyncio.timeout(3 * HEAD_SECONDS):
        answer = await reader.read(4000)
    sending.cancel()
    with suppress(asyncio.CancelledError, ConnectionError):
        await sending
    writer.close()
    return time.monotonic() - began, answer


async def first_then_slow(port: int) -> tuple[float, bytes]:
    """A later head on the same connection has no more time."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEALTH + b"\r\n")
    # To its end: the head and the body may come one after the other.
    assert (await reader.readuntil(b"}")).startswith(b"HTTP/1.1 200 ")
    writer.write(b"GET")
    began = time.monotonic()
    async with asyncio.timeout(3 * HEAD_SECONDS):
        answer = await reader.read(4000)
    writer.close()
    return time.monotonic() - began, answer


def test_a_head_that_is_not_whole_after_ten_seconds_is_not_waited_for(stack: Stack, tenant: Tenant) -> None:
    """A page's socket, which says nothing for as long, is."""
    headers = itertools.chain([HEALTH], (f"X-{n}: 1\r\n".encode() for n in itertools.count()))
    slow: list[Iterator[bytes]] = [
        iter(()),
        iter([HEALTH]),
        (bytes([byte]) for byte in HEALTH * 10),
        headers,
    ]

    async def all_at_once() -> list[tuple[float, bytes]]:
        borne = [until_hung_up(stack.port, pieces, 1.0) for pieces in slow]
        return await asyncio.gather(*borne, first_then_slow(stack.port))

    with feed(stack, tenant, signed_in(tenant)) as page:
        page.recv(LIMIT)
        silent, *begun = run(all_at_once())
        page.send("ping")
        assert "pong" in str(page.recv(LIMIT))

    assert silent[1] == b""
    assert all(answer.startswith(b"HTTP/1.1 408 ") for _, answer in begun)
    assert all(HEAD_SECONDS - 1 < seconds < 3 * HEAD_SECONDS for seconds, _ in [silent, *begun])


@pytest.mark.parametrize(
    "sent",
    [
        HEALTH + b"X: " + b"x" * MAX_HEAD + b"\r\n\r\n",
        HEALTH + b"X: " + b"x" * 10 * MAX_HEAD,
        HEALTH + b"X: y\r\n" * MAX_HEAD,
        b"GET /" + b"x" * 2 * MAX_HEAD,
        HEALTH.replace(b"/healthz", b"/readyz")  # which reads its body before it answers
        + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: "
        + b"x" * 10 * MAX_HEAD,
    ],
    ids=["one header", "endless header", "many headers", "address", "trailer"],
)
def test_a_head_without_end_is_refused(stack: Stack, sent: bytes) -> None:
    with ExitStack() as through:
        assert status_on(opened(stack, "127.0.0.1", through), sent) in {431, 0}
    assert is_served(stack)


def test_a_head_of_many_cookies_is_read(stack: Stack) -> None:
    with ExitStack() as through:
        cookies = b"Cookie: " + b"a=b; " * 10_000 + b"\r\n\r\n"
        assert status_on(opened(stack, "127.0.0.1", through), HEALTH + cookies) == 200


def test_requests_that_wait_on_one_connection_are_few(stack: Stack) -> None:
    with ExitStack() as through:
        connection = opened(stack, "127.0.0.1", through)
        connection.sendall((HEALTH + b"\r\n") * 5_000)
        connection.settimeout(BRIEF)
        answers = b""
        with suppress(ConnectionError, TimeoutError):
            while more := connection.recv(65_536):
                answers += more

    assert answers.count(b"HTTP/1.1 200 ") < 100
    assert is_served(stack)


def test_a_few_requests_may_be_sent_ahead(stack: Stack) -> None:
    with ExitStack() as through:
        connection = opened(stack, "127.0.0.1", through)
        connection.sendall((HEALTH + b"\r\n") * 9 + HEALTH + b"Connection: close\r\n\r\n")
        answers = b""
        while more := connection.recv(65_536):
            answers += more

    assert answers.count(b"HTTP/1.1 200 ") == 10


def test_a_thousand_idle_connections_of_one_address_stop_nobody_else(own: Stack) -> None:
    with ExitStack() as through:
        idle = [opened(own, STRANGER, through) for _ in range(1000)]
        assert is_served(own)

        last = status_on(idle[-1])
        one_more = status_on(opened(own, STRANGER, through))
        for connection in idle[:MOST_OF_ONE]:
            connection.close()

        assert (last, one_more) in {(429, 429), (0, 429)}
        wait_until(lambda: status_on(opened(own, STRANGER, through)) == 200)


def test_a_proxys_connections_are_not_one_strangers_and_the_idle_ones_give_way(own: Stack) -> None:
    with ExitStack() as through:
        several = [opened(own, PROXY, through) for _ in range(2 * MOST_OF_ONE)]
        assert [status_on(connection) for connection in several] == [200] * len(several)

        idle = [opened(own, PROXY, through) for _ in range(3 * MOST)]

        assert status_on(idle[-1]) == 200
        assert status_on(several[0]) == 0
        assert is_served(own)


def test_sockets_that_closed_are_not_counted_any_more(own: Stack) -> None:
    address = f"ws://127.0.0.1:{own.port}/ws/p/{own.demo['project_id']}/"
    for _ in range(MOST_OF_ONE + 5):
        with connect(
            address,
            origin=own.url,
            proxy=None,
            source_address=(STRANGER, 0),  # type: ignore[arg-type]
            open_timeout=LIMIT,
        ) as page:
            assert read_close_code(page) == SIGNED_OUT
    with ExitStack() as through:
        assert status_on(opened(own, STRANGER, through)) == 200


def test_more_requests_than_threads_wait_for_their_turn(own: Stack) -> None:
    web = own.pids["web"]
    assert web
    before = psutil.Process(web).num_threads()

    async def all_at_once() -> list[int]:
        headers = {"Authorization": f"Token {own.demo['api_key']}"}
        async with httpx.AsyncClient(trust_env=False, verify=False, timeout=120, headers=headers) as client:
            address = f"{own.url}/api/openmem/v1/get/memory"
            asked = [client.post(address, json={"user_id": f"user-{n}"}) for n in range(9)]
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert [run(all_at_once()) for _ in range(3)] == [[200] * 9] * 3
    # The database's pool has threads of its own, which begin when they are needed.
    assert psutil.Process(web).num_threads() < before + 30
