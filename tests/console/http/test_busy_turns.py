"""Members behind one address wait for their own requests only, and who waits in vain is shown a page."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.db import connections
from django.test import Client, override_settings

from console.http import fair_turns
from console.http.sync_handler import SyncHandler
from console.interfaces.failures import answer_busy_page
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant
from tests.support.servers.loops import run

ADDRESS = "192.0.2.7"


async def get(
    handler: SyncHandler, path: str, client: Client | None = None
) -> tuple[int, dict[str, str], str]:
    cookies = client.cookies.output(header="", attrs=[], sep=";").strip() if client else ""
    headers = {"host": "localhost", "cookie": cookies, "accept-language": "en"}
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": (ADDRESS, 1),
    }
    asking = ApplicationCommunicator(handler, scope)
    await asking.send_input({"type": "http.request", "body": b""})
    start = await asking.receive_output(30)
    body, more = b"", True
    while more:
        part = await asking.receive_output(30)
        body, more = body + part.get("body", b""), part.get("more_body", False)
    await asking.wait(30)
    named = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return start["status"], named, body.decode(errors="replace")


def test_a_member_is_not_kept_waiting_by_others_behind_the_same_address(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fair_turns, "WAIT_SECONDS", 0.05)
    # Of threads that nobody uses again nothing would close them.
    monkeypatch.setitem(connections.databases["default"], "CONN_MAX_AGE", 0)
    member = sign_in_owner(tenant)
    assert settings.SESSION_COOKIE_NAME in member.cookies
    assert member.get("/me/").status_code == 200

    async def ask() -> list[tuple[int, dict[str, str], str]]:
        with override_settings(WEB_THREADS=2):
            handler = SyncHandler(answer_busy_page)
        handler.load_middleware()
        others = await handler.turns.acquire(
            ADDRESS
        )  # a request of somebody else there, which takes its time
        answers = [await get(handler, "/me/", member), await get(handler, "/me/")]
        others.cancel()
        return answers

    (theirs, _, _), (status, headers, page) = run(ask())

    assert theirs == 200
    assert (status, headers["retry-after"]) == (503, "1")
    assert headers["content-type"].startswith("text/html")
    assert "too many requests just now" in page
