"""The socket of an open page: for members who are signed in, within bounds."""

from __future__ import annotations

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from socket import create_server
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from django.conf import settings
from django.test import Client

from console.embedded.stack import Stack
from console.http.realtime import socket as live
from console.http.realtime.event_marks import UNKNOWN, EventMarks
from console.pages.shell import access
from tenancy.models import User
from tests.support.api_client import Api, Tenant
from tests.support.console.sockets import cookie, feed, read_close_code, signed_in
from tests.support.waiting import LIMIT


def test_a_member_hears_and_a_stranger_does_not(stack: Stack, tenant: Tenant, stranger: Tenant) -> None:
    with feed(stack, tenant, signed_in(tenant)) as mine, feed(stack, tenant, signed_in(stranger)) as theirs:
        assert json.loads(mine.recv(LIMIT)) == {"topic": "hello", "mark": "0"}
        assert read_close_code(theirs) == live.NOT_A_MEMBER


def greeting(stack: Stack, tenant: Tenant, client: Client) -> str:
    """The mark with which a socket of the tenant's project is greeted."""
    with feed(stack, tenant, client) as socket:
        return str(json.loads(socket.recv(LIMIT))["mark"])


def read_page_mark(tenant: Tenant, client: Client) -> str:
    page = client.get(f"/p/{tenant.project_id}/memories/")
    assert page.status_code == 200
    [mark] = re.findall(r'data-last-event="(\w*)"', page.content.decode())
    return str(mark)


def test_a_socket_tells_a_page_whether_something_happened_since_it_was_rendered(
    stack: Stack, tenant: Tenant, api: Api
) -> None:
    client = signed_in(tenant)
    with feed(stack, tenant, client) as other_page:
        assert json.loads(other_page.recv(LIMIT))["topic"] == "hello"
        before = read_page_mark(tenant, client)
        assert greeting(stack, tenant, client) == before

        api.add("kim", "I live in Porto.")
        while json.loads(other_page.recv(LIMIT))["topic"] != "memory":
            pass

        assert greeting(stack, tenant, client) != before


def test_a_page_opens_while_the_broker_says_nothing(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in(tenant)
    monkeypatch.setattr(access, "event_marks", EventMarks())
    with create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(settings, "REDIS_URL", f"redis://127.0.0.1:{silent.getsockname()[1]}")

        assert read_page_mark(tenant, client) == UNKNOWN
        assert read_page_mark(tenant, client) == UNKNOWN


def test_a_person_has_at_most_so_many_sockets_open(stack: Stack, tenant: Tenant) -> None:
    client = signed_in(tenant)
    with ExitStack() as opened:
        for _ in range(live.MAX_SOCKETS):
            socket = opened.enter_context(feed(stack, tenant, client))
            assert json.loads(socket.recv(LIMIT))["topic"] == "hello"
        with feed(stack, tenant, client) as one_more:
            assert read_close_code(one_more) == live.TOO_MUCH


def test_a_socket_that_talks_too_much_is_closed(stack: Stack, tenant: Tenant) -> None:
    client = signed_in(tenant)
    with feed(stack, tenant, client) as many, feed(stack, tenant, client) as long:
        for _ in range(live.MAX_MESSAGES_A_MINUTE + 1):
            many.send("ping")
        long.send("x" * (live.MAX_MESSAGE + 1))

        assert read_close_code(many) == live.TOO_MUCH
        assert read_close_code(long) == live.TOO_LARGE


def sign_out(client: Client, tenant: Tenant) -> None:
    client.logout()


def deactivate(client: Client, tenant: Tenant) -> None:
    User.objects.filter(email=tenant.email).update(is_active=False)


@pytest.mark.parametrize("leave", [sign_out, deactivate])
def test_an_open_page_goes_quiet_when_its_person_leaves(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, leave: Any
) -> None:
    monkeypatch.setattr(live, "CHECK_SECONDS", 0.1)
    client = signed_in(tenant)

    # A thread of its own: the browser tests keep a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        code = pool.submit(asyncio.run, closing_code(tenant, client, leave)).result()

    assert code == live.SIGNED_OUT
    assert not live.ProjectFeed.open


async def closing_code(tenant: Tenant, client: Client, leave: Any) -> int:
    # Not before the tests run: it needs the static files, which are collected while the tests are.
    from console.asgi import application

    names = {b"cookie": cookie(client).encode(), b"origin": b"http://localhost", b"host": b"localhost"}
    address = {"path": f"/ws/p/{tenant.project_id}/", "query_string": b"", "headers": list(names.items())}
    page = ApplicationCommunicator(application, {"type": "websocket", **address})
    await page.send_input({"type": "websocket.connect"})
    assert (await page.receive_output(LIMIT))["type"] == "websocket.accept"
    assert "hello" in (await page.receive_output(LIMIT))["text"]
    await database_sync_to_async(leave)(client, tenant)
    closed = await page.receive_output(LIMIT)
    await page.send_input({"type": "websocket.disconnect", "code": closed["code"]})
    await page.wait(LIMIT)
    return int(closed["code"])
