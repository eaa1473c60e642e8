"""Signing in through GitHub, on an installation that has its credentials; GitHub itself is a stand-in on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from console import environment
from console.embedded.stack import Stack
from tests.installations import own_stack

SECRET = "of-the-stand-in"
EMAIL = "octo@example.org"


class GitHub(BaseHTTPRequestHandler):
    """GitHub's OAuth and the two calls that tell who somebody is, in its wire format."""

    asked: list[str] = []

    def do_GET(self) -> None:
        place = urlsplit(self.path)
        self.asked.append(place.path)
        if place.path == "/login/oauth/authorize":
            self._authorize(parse_qs(place.query))
        elif self.headers.get("Authorization") != "token gho_1":
            self._answer(401, {"message": "Bad credentials"})
        elif place.path == "/api/v3/user":
            self._answer(200, {"id": 583231, "login": "octo", "name": "Octo Cat", "email": None})
        elif place.path == "/api/v3/user/emails":
            self._answer(200, [{"email": EMAIL, "primary": True, "verified": True, "visibility": None}])
        else:
            self._answer(404, {"message": "Not Found"})

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.asked.append(self.path)
        is_right = sent["code"] == ["code-1"] and sent["client_secret"] == [SECRET]
        told = {"access_token": "gho_1", "token_type": "bearer", "scope": "user:email"}
        self._answer(200, told if is_right else {"error": "bad_verification_code"})

    def _authorize(self, asked: dict[str, list[str]]) -> None:
        assert asked["client_id"] == ["engram"]
        back = urlencode({"code": "code-1", "state": asked["state"][0]})
        self.send_response(302)
        self.send_header("Location", f"{asked['redirect_uri'][0]}?{back}")
        self.end_headers()

    def _answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the tests look at what was asked."""


@pytest.fixture(scope="module")
def github() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def own(github: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    variables = {"GITHUB_CLIENT_ID": "engram", "GITHUB_CLIENT_SECRET": SECRET, "GITHUB_URL": github}
    with own_stack(tmp_path_factory.mktemp("social"), **variables) as stack:
        yield stack


@pytest.fixture
def visitor(own: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=f"http://localhost:{own.port}", trust_env=False, follow_redirects=True, timeout=30
    ) as client:
        yield client


def press(client: httpx.Client, page: str, form: str) -> httpx.Response:
    """Sends the form on a page that leads to an address, as a browser does."""
    shown = client.get(page).text
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', shown)
    assert token
    assert form in shown
    headers = {"Referer": f"{client.base_url}{page}"}
    return client.post(form, data={"csrfmiddlewaretoken": token[1]}, headers=headers)


def test_a_newcomer_comes_in_through_github_and_has_an_account(visitor: httpx.Client) -> None:
    landed = press(visitor, "/accounts/login/", "/accounts/github/login/?process=login")

    assert landed.status_code == 200
    assert landed.url.path.endswith("/quickstart/")
    assert "/login/oauth/access_token" in GitHub.asked
    assert EMAIL in visitor.get("/me/").text
    again = press_again(visitor)
    assert again.url.path == landed.url.path


def press_again(visitor: httpx.Client) -> httpx.Response:
    """The second time it is the same person."""
    visitor.cookies.clear()
    return press(visitor, "/accounts/login/", "/accounts/github/login/?process=login")


def test_the_page_lets_its_form_lead_there_and_nowhere_else(visitor: httpx.Client, github: str) -> None:
    page = visitor.get("/accounts/login/")

    assert f"form-action 'self' {github};" in page.headers["Content-Security-Policy"] + ";"
    assert "google" not in page.text.lower()


def test_an_answer_that_nobody_asked_for_lets_nobody_in(visitor: httpx.Client) -> None:
    answer = visitor.get("/accounts/github/login/callback/?code=code-1&state=made-up")

    assert answer.status_code in {200, 401, 403}
    assert visitor.get("/me/").url.path == "/accounts/login/"


def test_half_of_the_credentials_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_CLIENT_ID", "x")

    with pytest.raises(environment.ImproperlyConfigured, match="go together"):
        environment.social_providers()

    monkeypatch.setenv("GOOGLE_CLIENT_SECRET", "y")
    assert environment.social_providers()["google"]["APPS"][0]["secret"] == "y"
    assert environment.social_origins() == ["https://accounts.google.com"]
