"""A web server of the tests' own."""

from __future__ import annotations

from http.server import ThreadingHTTPServer


class Listener(ThreadingHTTPServer):
    """Where the usual five connections wait to be accepted, the kernel drops the next ones, and who is called a second
    later has given up on a busy machine."""

    request_queue_size = 128
    daemon_threads = True
