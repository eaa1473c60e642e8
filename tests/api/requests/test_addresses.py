"""Addresses and methods: every spelling is understood or refused in the envelope, none is redirected."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import httpx
import pytest

from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.waiting import LIMIT

ASK = {"user_id": "kim", "query": "tea"}
POSTED = [
    "add/message",
    "add/feedback",
    "get/status",
    "search/memory",
    "chat",
    "get/memory",
    "get/message",
    "delete/memory",
]


@pytest.mark.parametrize(
    "path",
    [
        "/api/openmem/v1/search/memory",
        "/api/openmem/v1/search/memory/",
        "/api/openmem/v1//search/memory",
        "//api/openmem//v1///search/memory//",
    ],
)
def test_slashes_too_many_change_nothing(developer: Tenant, path: str) -> None:
    answer = raw(developer, "POST", path, b'{"user_id": "kim", "query": "tea"}')

    assert (answer.status, answer.getheader("Location")) == (200, None)


def raw(developer: Tenant, method: str, path: str, body: bytes, **headers: str) -> http.client.HTTPResponse:
    """A request whose address no client library tidies up."""
    connection = http.client.HTTPConnection(urlsplit(developer.url).netloc, timeout=120)
    given = {"Authorization": f"Token {developer.key}", "Content-Type": "application/json", **headers}
    connection.request(method, path, body, given)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


@pytest.mark.parametrize("path", POSTED)
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_another_method_is_refused_in_the_envelope(api: Api, path: str, method: str) -> None:
    refused(api.request(method, path), 40000, method, status=405)


@pytest.mark.parametrize("path", POSTED)
def test_a_look_at_the_headers_alone_is_refused_too(api: Api, path: str) -> None:
    answer = api.head(path)

    assert answer.status_code == 405
    assert answer.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/openmem/v1/", "/api/openmem/v1/nope", "/api/openmem/v2/ping", "/api/%ff%00"],
)
def test_an_unknown_address_is_answered_in_the_envelope(developer: Tenant, path: str, method: str) -> None:
    answer = httpx.request(method, developer.url + path, trust_env=False, verify=False, timeout=LIMIT)

    refused(answer, 40001, "Unknown API address", status=404)
    assert answer.headers["X-Engram-Remedy"] == "Check the path against the API reference."
    assert answer.headers["X-Request-Id"]


@pytest.mark.parametrize("end", ["%0A", "%20", ".json", "/x"])
def test_an_address_that_is_nearly_right_is_not_served(developer: Tenant, end: str) -> None:
    answer = raw(developer, "POST", f"/api/openmem/v1/search/memory{end}", b"{}")

    assert answer.status == 404


def test_a_host_that_is_not_ours_is_refused_in_the_envelope(api: Api) -> None:
    refused(api.call("search/memory", ASK, headers={"Host": "evil.example"}), 40000, "header")


def test_a_header_cannot_change_the_method(api: Api) -> None:
    accepted(api.call("search/memory", ASK, headers={"X-HTTP-Method-Override": "DELETE"}))


def test_the_api_never_asks_for_a_cookie_or_a_token_of_a_form(api: Api) -> None:
    answer = api.call("search/memory", ASK, headers={"Origin": "https://elsewhere.example"})

    accepted(answer)
    assert "set-cookie" not in answer.headers
