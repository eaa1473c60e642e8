"""A stranger's web server, as the tests play it: real files, and everything a hostile one might do."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Thread
from uuid import uuid4

from tests.support.servers.listener import Listener
from tests.support.waiting import LIMIT

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True)
class FileServer:
    """`serves` and `does` give the URL of what is then served once or often; `asked` are the paths in their order."""

    address: str
    _answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def serves(self, name: str, content: bytes, media_type: str = "application/octet-stream") -> str:
        return self.does(name, lambda request: send(request, 200, content, {"Content-Type": media_type}))

    def does(self, name: str, answer: Answer) -> str:
        path = f"/{uuid4().hex}/{name}"
        self._answers[path] = answer
        return f"http://{self.address}{path}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        handler = self._answers.get(request.path)
        if handler is None:
            send(request, 404, b"nothing here")
        else:
            handler(request)


def send(
    request: BaseHTTPRequestHandler, status: int, content: bytes = b"", headers: dict[str, str] | None = None
) -> None:
    request.send_response(status)
    for name, value in ({"Content-Length": str(len(content))} | (headers or {})).items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(content)


def redirect(to: str) -> Answer:
    return lambda request: send(request, 302, b"", {"Location": to})


def without_end(request: BaseHTTPRequestHandler) -> None:
    """As long as somebody reads."""
    request.send_response(200)
    request.end_headers()
    block = b"all work and no play " * 50_000
    try:
        while True:
            request.wfile.write(block)
    except OSError:
        request.close_connection = True


def drop_by_drop(seconds: float) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        until = time.monotonic() + seconds
        try:
            while time.monotonic() < until:
                request.wfile.write(b"x")
                time.sleep(0.05)
        except OSError:
            request.close_connection = True

    return answer


def drop_by_drop_until(event: threading.Event, begun: threading.Event) -> Answer:
    """For as long as a test wants, within the limit of all waiting; `begun` tells that somebody reads."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        begun.set()
        request.send_response(200)
        request.end_headers()
        until = time.monotonic() + LIMIT
        while time.monotonic() < until and not event.is_set():
            request.wfile.write(b"x")
            event.wait(0.05)

    return answer


class _Ears(Listener):
    house: FileServer


class _Request(BaseHTTPRequestHandler):
    server: _Ears

    def do_GET(self) -> None:
        self.server.house.answer(self)

    def do_POST(self) -> None:
        self.server.house.answer(self)

    def log_message(self, format: str, *arguments: object) -> None:
        """Silent: a test says itself what went wrong."""


def format_address(port: int) -> str:
    return f"127.0.0.1:{port}"


def reserve_port() -> socket.socket:
    """Held without listening: nobody else is given its number, and a server of another process may listen there."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held


def get_port_number(port: socket.socket) -> int:
    number: int = port.getsockname()[1]
    return number


def open_server(port: int) -> FileServer:
    """Listens until the process ends."""
    ears = _Ears(("127.0.0.1", port), _Request)
    ears.house = FileServer(format_address(ears.server_address[1]))
    Thread(target=ears.serve_forever, name="file server", daemon=True).start()
    return ears.house


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
