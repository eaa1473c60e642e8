"""A server between Engram and the model that passes everything on and keeps what the model said, and how fast."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx

from benchmarks.support.loopback import QuietHandler, serving

SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to the model: `first` and `whole` are seconds until its first and its last byte."""

    is_stream: bool
    has_schema: bool
    status: int
    answer: str
    first: float
    whole: float


@contextmanager
def recording(model: str) -> Iterator[tuple[str, list[Exchange]]]:
    """The address of a server that passes requests on to `model`, and the exchanges so far, oldest first."""
    exchanges: list[Exchange] = []
    with serving(_handler(model, exchanges)) as address:
        yield f"{address}/v1", exchanges


def _handler(model: str, exchanges: list[Exchange]) -> type[BaseHTTPRequestHandler]:
    class Recorder(QuietHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            question, began, received, first = json.loads(sent), time.monotonic(), b"", 0.0
            with httpx.stream(
                "POST", model + self.path, content=sent, timeout=SECONDS, trust_env=False, headers=_JSON
            ) as answer:
                self.send_response(answer.status_code)
                self.send_header("Content-Type", answer.headers.get("Content-Type", "application/json"))
                self.end_headers()
                try:
                    for part in answer.iter_bytes():
                        first = first or time.monotonic() - began
                        received += part
                        self.wfile.write(part)
                        self.wfile.flush()
                except (BrokenPipeError, ConnectionResetError):
                    received += b" [Engram hung up]"
            whole = time.monotonic() - began
            text = _said(received.decode("utf-8", "replace"))
            has_schema = "response_format" in question
            is_stream = bool(question.get("stream"))
            exchanges.append(Exchange(is_stream, has_schema, answer.status_code, text, first, whole))

    return Recorder


_JSON = {"Content-Type": "application/json"}


def _said(received: str) -> str:
    """The words of an answer that came whole or as events; what is neither as it came."""
    try:
        return str(json.loads(received)["choices"][0]["message"]["content"])
    except (ValueError, KeyError, IndexError, TypeError):
        lines = [line[5:].strip() for line in received.splitlines() if line.startswith("data:")]
    if not lines:
        return received
    return "".join(_delta(json.loads(line)) for line in lines if line.startswith("{"))


def _delta(event: dict[str, Any]) -> str:
    choices = event.get("choices") or [{}]
    return str((choices[0].get("delta") or {}).get("content") or "")
