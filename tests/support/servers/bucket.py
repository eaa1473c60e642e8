"""An object store that speaks as much of S3 as files need.

`python -m tests.support.servers.bucket HOST PORT` serves one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest
from django.core.files.storage import storages
from django.test import override_settings

from console.configuration import environment
from tests.support.servers.listener import Listener


class Bucket(Listener):
    """`objects` by key; with `is_away` every request is answered 503."""

    daemon_threads = True

    def __init__(self, name: str = "engram", host: str = "127.0.0.1", port: int = 0) -> None:
        super().__init__((host, port), _Request)
        self.name = name
        self.objects: dict[str, bytes] = {}
        self.is_away = False
        Thread(target=self.serve_forever, args=(0.02,), name="bucket", daemon=True).start()

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        return f"s3+http://key:secret@{host}:{port}/{self.name}"

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Request(BaseHTTPRequestHandler):
    server: Bucket
    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        content = self._content()
        if not self.server.is_away:
            self.server.objects[self._key] = content
        self._send(200)

    def do_GET(self) -> None:
        if not self._key:
            self._send(200, self._listing())
        elif self._key in self.server.objects:
            self._send(200, self.server.objects[self._key])
        else:
            self._send(404, b"<Error><Code>NoSuchKey</Code></Error>")

    do_HEAD = do_GET

    def do_DELETE(self) -> None:
        if not self.server.is_away:
            self.server.objects.pop(self._key, None)
        self._send(204)

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix(f"/{self.server.name}").lstrip("/")

    def _content(self) -> bytes:
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return _unchunked(sent) if "aws-chunked" in self.headers.get("Content-Encoding", "") else sent

    def _listing(self) -> bytes:
        asked = parse_qs(urlsplit(self.path).query)
        prefix, delimiter = asked.get("prefix", [""])[0], asked.get("delimiter", [""])[0]
        keys, folders = [], set()
        for key in sorted(key for key in self.server.objects if key.startswith(prefix)):
            inner, separator, _ = key[len(prefix) :].partition(delimiter)
            if separator:
                folders.add(f"{prefix}{inner}{delimiter}")
            else:
                keys.append(f"<Contents><Key>{escape(key)}</Key><Size>1</Size></Contents>")
        common = (
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
            for folder in sorted(folders)
        )
        inside = "".join([*keys, *common])
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{inside}</ListBucketResult>".encode()

    def _send(self, status: int, content: bytes = b"") -> None:
        if self.server.is_away:
            status, content = 503, b"<Error><Code>SlowDown</Code></Error>"
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", '"0"')
        self.send_header("Last-Modified", formatdate(usegmt=True))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


def _unchunked(sent: bytes) -> bytes:
    out, rest = b"", sent
    while rest:
        head, _, rest = rest.partition(b"\r\n")
        size = int(head.partition(b";")[0], 16)
        if size == 0:
            return out
        out, rest = out + rest[:size], rest[size + 2 :]
    return out


if __name__ == "__main__":
    Bucket(host=sys.argv[1], port=int(sys.argv[2]))
    while True:
        time.sleep(3600)


@contextmanager
def files_in_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """This process stores its files in a bucket, which it does not wait for long."""
    running = Bucket()
    monkeypatch.setenv("STORAGE_URL", running.url)
    settings = {"files": environment.read_file_storage(Path("unused"))}
    settings["files"]["OPTIONS"]["client_config"] = _impatient()
    with override_settings(STORAGES=settings):
        yield running
        storages["files"].connection.meta.client.close()
    running.close()


def _impatient() -> Any:
    from botocore.config import Config

    return Config(
        s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}, connect_timeout=1, read_timeout=2
    )
