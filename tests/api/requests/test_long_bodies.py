"""Who sends a long body is known before it is read, and no client makes others wait with its own."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.accounts.plans import give_plan
from tests.support.api_client import Api, Tenant
from tests.support.documents.bad_bodies import GOOD
from tests.support.expect import accepted, refused
from tests.support.servers.loops import run
from tests.support.waiting import LIMIT, let_loop_run, wait_until

MEGABYTE = 1024 * 1024
LONG = 9 * MEGABYTE
# The server says so when it is ready to read the body.
EXPECTING = b"\r\nExpect: 100-continue\r\n\r\n"


def head(
    tenant: Tenant, size: int | None, key: str = "", path: str = "/api/openmem/v1/search/memory"
) -> bytes:
    length = "Transfer-Encoding: chunked" if size is None else f"Content-Length: {size}"
    shown = f"Authorization: Token {key}\r\n" if key else ""
    host = urlsplit(tenant.url).netloc
    return f"POST {path} HTTP/1.1\r\nHost: {host}\r\n{shown}Content-Type: application/json\r\n{length}\r\n\r\n".encode()


def line_to(tenant: Tenant, through: ExitStack) -> socket.socket:
    address = urlsplit(tenant.url)
    return through.enter_context(socket.create_connection((address.hostname, address.port), timeout=LIMIT))


def answer_on(line: socket.socket) -> tuple[int, dict[str, Any], str]:
    """Status, body and head, without anything more being sent."""
    received = b""
    while b"\r\n\r\n" not in received or b"}" not in received:
        received += (more := line.recv(65536))
        assert more, received
    head_bytes, _, content = received.partition(b"\r\n\r\n")
    return int(head_bytes.split()[1]), json.loads(content), head_bytes.decode().lower()


@pytest.mark.parametrize("size", [LONG, None], ids=["declared", "chunked"])
@pytest.mark.parametrize(
    ("key", "code"),
    [("", 40100), ("mpg-wrong", 40132), ("mpg-" + "a" * 38, 40132)],
    ids=["none", "short", "wrong"],
)
def test_a_stranger_is_told_so_before_sending_a_byte_of_the_body(
    tenant: Tenant, size: int | None, key: str, code: int
) -> None:
    with ExitStack() as through:
        line = line_to(tenant, through)
        line.sendall(head(tenant, size, key))

        status, body, _ = answer_on(line)

    assert (status, body["code"]) == (401, code)


def test_the_other_contract_says_so_in_its_own_words(tenant: Tenant) -> None:
    with ExitStack() as through:
        line = line_to(tenant, through)
        line.sendall(head(tenant, LONG, path="/api/v1/session"))

        status, body, _ = answer_on(line)

    assert (status, body["code"]) == (401, 401)
    assert body["msg"]


def test_pages_take_long_bodies_of_people_who_are_signed_in_only(tenant: Tenant) -> None:
    with ExitStack() as through:
        line = line_to(tenant, through)
        line.sendall(head(tenant, MEGABYTE, path="/accounts/login/"))

        assert answer_on(line)[0] == 401


def test_a_client_that_sends_first_and_reads_later_learns_why_it_was_refused(tenant: Tenant) -> None:
    with tenant.api("mpg-" + "b" * 38) as api:
        for _ in range(3):
            refused(api.post("search/memory", content=b" " * LONG), 40132, status=401)


def test_many_that_are_refused_at_once_all_learn_why(tenant: Tenant) -> None:
    async def all_at_once() -> list[int]:
        async with httpx.AsyncClient(trust_env=False, timeout=120) as client:
            return await asyncio.gather(*(ask(client) for _ in range(6)))

    async def ask(client: httpx.AsyncClient) -> int:
        address = f"{tenant.url}/api/openmem/v1/search/memory"
        wrong = {"Authorization": "Token mpg-" + "b" * 38}
        return int((await client.post(address, content=b" " * LONG, headers=wrong)).json()["code"])

    assert run(all_at_once()) == [40132] * 6


def test_an_account_has_so_many_bytes_under_way_and_no_other_waits_for_them(
    tenant: Tenant, strangers_api: Api
) -> None:
    body = json.dumps(GOOD["search/memory"] | {"x": "x" * LONG}).encode()
    with tenant.api() as api, ExitStack() as through:
        for _ in range(2):
            line = line_to(tenant, through)
            line.sendall(head(tenant, len(body), tenant.key).replace(b"\r\n\r\n", EXPECTING))
            assert line.recv(100).startswith(b"HTTP/1.1 100 ")

        answer = api.post("search/memory", content=body)
        refused(answer, 40300, status=429)
        assert int(answer.headers["Retry-After"]) >= 1
        accepted(strangers_api.post("search/memory", content=body))
        accepted(api.call("search/memory", GOOD["search/memory"]))

    with tenant.api() as api:
        wait_until(lambda: api.post("search/memory", content=body).status_code == 200)


def test_many_long_bodies_at_once_are_all_answered(tenant: Tenant, stranger: Tenant) -> None:
    body = json.dumps(GOOD["search/memory"] | {"x": "x" * LONG}).encode()

    async def all_at_once() -> list[int]:
        async with httpx.AsyncClient(trust_env=False, timeout=120) as client:
            return await asyncio.gather(*(ask(client, sender) for sender in [tenant, stranger] * 3))

    async def ask(client: httpx.AsyncClient, whose: Tenant) -> int:
        address = f"{whose.url}/api/openmem/v1/search/memory"
        while True:  # as a client does that is told when to come again
            answer = await client.post(address, content=body, headers={"Authorization": f"Token {whose.key}"})
            if answer.status_code != 429:
                return answer.status_code
            await let_loop_run(float(answer.headers["Retry-After"]))

    assert run(all_at_once()) == [200] * 6


def test_the_rate_is_counted_by_the_head_and_once(tenant: Tenant) -> None:
    give_plan(tenant, most_requests_per_second=5)
    body = b'{"user_id": "kim", "query": "tea", "x": "' + b"x" * 70_000 + b'"}'
    with ExitStack() as through:
        lines = [line_to(tenant, through) for _ in range(80)]
        for line in lines[:5]:
            line.sendall(head(tenant, len(body), tenant.key) + body)
        assert [answer_on(line)[0] for line in lines[:5]] == [200] * 5

        for line in lines[5:]:  # with no byte of a body
            line.sendall(head(tenant, len(body), tenant.key))
        answered, _, _ = select.select(lines[5:], [], [], LIMIT)
        status, answer, answer_head = answer_on(answered[0])

    assert (status, answer["code"]) == (429, 40300)
    assert "retry-after: 1" in answer_head


async def sent_slowly(tenant: Tenant, size: int, pieces: Iterator[bytes]) -> tuple[float, bytes]:
    address = urlsplit(tenant.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(head(tenant, size, tenant.key))
    began = time.monotonic()

    async def send() -> None:
        for piece in pieces:
            writer.write(piece)
            await let_loop_run(1)  # as a slow client pauses between pieces

    sending = asyncio.create_task(send())
    async with asyncio.timeout(60):
        answer = await reader.readuntil(b"}")
    sending.cancel()
    writer.close()
    return time.monotonic() - began, answer


def test_a_body_comes_at_a_kilobyte_a_second_or_is_not_waited_for(tenant: Tenant) -> None:
    body = b'{"user_id": "kim", "query": "tea", "x": "' + b"x" * 12_000 + b'"}'

    async def all_at_once() -> list[tuple[float, bytes]]:
        return await asyncio.gather(
            sent_slowly(tenant, 100, iter([])),
            sent_slowly(tenant, 100, (b"{" for _ in range(60))),
            sent_slowly(tenant, len(body), (body[at : at + 1024] for at in range(0, len(body), 1024))),
        )

    *slow, steady = run(all_at_once())

    assert steady[1].startswith(b"HTTP/1.1 200 ")
    assert steady[0] > 11
    for seconds, answer in slow:
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"too slowly" in answer
        assert 9 < seconds < 60
