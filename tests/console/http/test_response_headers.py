"""What answers say to browsers: compressed pages, nothing kept, nothing allowed that no page uses."""

from __future__ import annotations

import gzip

import httpx
import pytest
from django.test import Client

from console.configuration import environment
from console.embedded.stack import Stack
from tests.support.accounts.people import browser, get_owner, sign_in
from tests.support.api_client import Api, Tenant
from tests.support.waiting import LIMIT


@pytest.fixture
def client(tenant: Tenant) -> Client:
    return sign_in(get_owner(tenant))


@pytest.mark.parametrize(
    "page", ["memories/", "requests/", "knowledge/", "skills/", "usage/", "memories/?q=tea"]
)
def test_a_page_with_peoples_words_is_kept_in_no_cache(client: Client, tenant: Tenant, page: str) -> None:
    answer = client.get(f"/p/{tenant.project_id}/{page}")

    assert answer.headers["Cache-Control"] in {"no-store", "private, no-store"}


@pytest.mark.parametrize("path", ["/", "/pricing/", "/accounts/login/", "/nowhere/", "/openapi.json"])
def test_every_answer_is_for_pages_of_this_origin_and_allows_no_device(path: str) -> None:
    answer = browser().get(path)

    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_a_probe_is_answered_for_this_origin_only_whatever_host_it_names(stack: Stack) -> None:
    answer = httpx.get(
        f"{stack.url}/healthz",
        headers={"Host": "10.0.0.7:8000"},
        trust_env=False,
        verify=False,
        timeout=LIMIT,
    )

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "camera=()" in answer.headers["Permissions-Policy"]
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-store"


def test_files_that_applications_show_on_their_own_pages_may_be_shown_there() -> None:
    assert browser().get("/material/unknown").headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_sockets_lead_to_our_own_host_only(stack: Stack) -> None:
    policy = httpx.get(f"{stack.url}/", trust_env=False, verify=False, timeout=LIMIT).headers[
        "Content-Security-Policy"
    ]
    allowed = next(part for part in policy.split("; ") if part.startswith("connect-src")).split()[1:]

    assert allowed == ["'self'", f"ws://localhost:{stack.port}"]
    assert environment.get_socket_origin("https://engram.example.org") == "wss://engram.example.org"


def test_the_consoles_own_files_stay_in_caches(stack: Stack) -> None:
    with httpx.Client(base_url=stack.url, trust_env=False, verify=False, timeout=LIMIT) as visitor:
        page = visitor.get("/").text
        style = next(part for part in page.split('"') if part.startswith("/static/") and ".css" in part)
        answer = visitor.get(style, headers={"Cookie": "engram_session=x"})

    assert "immutable" in answer.headers["Cache-Control"]


def test_pages_are_compressed_for_browsers_that_read_it(client: Client, tenant: Tenant) -> None:
    address = f"/p/{tenant.project_id}/memories/"
    plain = client.get(address)
    packed = client.get(address, HTTP_ACCEPT_ENCODING="gzip, br")

    assert "Content-Encoding" not in plain.headers
    assert (packed.headers["Content-Encoding"], packed.headers["Vary"].count("Accept-Encoding")) == (
        "gzip",
        1,
    )
    assert int(packed.headers["Content-Length"]) == len(packed.content) < len(plain.content) / 3
    assert b"</html>" in gzip.decompress(packed.content)


def test_equal_pages_differ_in_length_so_that_it_tells_nothing(client: Client, tenant: Tenant) -> None:
    address = f"/p/{tenant.project_id}/memories/"
    lengths = {len(client.get(address, HTTP_ACCEPT_ENCODING="gzip").content) for _ in range(8)}

    assert len(lengths) > 1


def test_programs_and_streams_are_answered_as_they_were(api: Api) -> None:
    body = {"user_id": "kim", "conversation_id": "talk", "query": "Where do I live?", "stream": True}
    with api.stream("POST", "chat", json=body, headers={"Accept-Encoding": "gzip"}) as answer:
        kind = answer.headers["Content-Type"]
        assert "Content-Encoding" not in answer.headers
        assert kind.startswith("text/event-stream"), answer.read()
    plain = api.call("search/memory", {"user_id": "kim", "query": "tea"}, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
