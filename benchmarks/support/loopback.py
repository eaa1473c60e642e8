"""Servers on the loopback interface that stand in for what is outside Engram, or between it and Engram."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer


class QuietHandler(BaseHTTPRequestHandler):
    """Writes no line of log for a request: benchmarks print what they measured alone."""

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address, without a slash at its end, at which the handler answers in threads until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def dripping_server() -> Iterator[tuple[str, threading.Event]]:
    """Its host and port, and what ends its answers, which come a byte a second otherwise."""
    over = threading.Event()

    class Drip(BaseRequestHandler):
        def handle(self) -> None:
            try:
                self.request.recv(4_096)
                self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while not over.wait(1.0):
                    self.request.sendall(b"x")
            except OSError:
                return  # the client has hung up

    class Server(ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), Drip) as server:
        threading.Thread(target=server.serve_forever, name="tarpit", daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}", over
        over.set()
        server.shutdown()
