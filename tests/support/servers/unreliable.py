"""An HTTP server that answers what a test has prepared, one answer after the other, and notes what it was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Thread
from typing import Any, Self

from tests.support.servers.listener import Listener

OK = {"code": 0, "data": {"success": True, "task_id": "t1", "status": "running"}, "message": "ok"}


@dataclass(frozen=True)
class Answer:
    """`status` 0 closes the connection without an answer."""

    status: int = 200
    body: Any = field(default_factory=lambda: OK)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Received:
    """A request; names of its headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


class UnreliableServer:
    """Answers each request with the next of `answers`, and with success when there are none left."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.received: list[Received] = []
        self._server = Listener(("127.0.0.1", 0), _handler(self))
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(server: UnreliableServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            server.received.append(
                Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            )
            answer = server.answers.pop(0) if server.answers else Answer()
            self.close_connection = True
            if not answer.status:
                return
            is_json = not isinstance(answer.body, bytes)
            content = json.dumps(answer.body).encode() if is_json else answer.body
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if "Content-Length" not in answer.headers:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def unreachable_url() -> Iterator[str]:
    """An address at which nobody listens while the block runs: bound, but not listening."""
    from socket import socket

    with socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
