"""GitHub on the loopback, as far as signing in through it goes."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.support.servers.listener import Listener

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
        token = {"access_token": "gho_1", "token_type": "bearer", "scope": "user:email"}
        self._answer(200, token if is_right else {"error": "bad_verification_code"})

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


def open_github() -> Listener:
    server = Listener(("127.0.0.1", 0), GitHub)
    Thread(target=server.serve_forever, daemon=True).start()
    return server
