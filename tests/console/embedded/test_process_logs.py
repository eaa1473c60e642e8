"""What an operator reads in the logs of the processes: JSON, one line a task, no addresses and no words."""

from __future__ import annotations

import json
import logging
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from celery import Celery

from console.configuration.logs import JSONFormatter, Redact
from console.embedded.stack import Stack
from tests.support.api_client import Api
from tests.support.waiting import LIMIT, wait_until

WORD = "xylophone"


def lines(stack: Stack, name: str) -> list[str]:
    return (stack.path / "logs" / f"{name}.log").read_text().splitlines()


def tasks_done(stack: Stack) -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in lines(stack, "worker")]
    return [line for line in entries if line["event"] == "task_done"]


def notify_for_a_round(stack: Stack) -> None:
    """As beat does each minute."""
    path = stack.environment["REDIS_URL"].removeprefix("unix://").partition("?")[0]
    with Celery("ring", broker=f"redis+socket://{path}", set_as_current=False) as app:
        app.send_task("memories.refund")


def test_every_line_is_json_and_each_task_has_one(own: Stack) -> None:
    with Api(own.url, own.demo["api_key"]) as api:
        answer = api.add("kim", f"I play the {WORD} in a brass band.", async_mode=True)
        assert api.wait_until_done(answer["task_id"]) == "completed"
    wait_until(lambda: any(line["task"] == answer["task_id"] for line in tasks_done(own)))
    with httpx.Client(trust_env=False, timeout=LIMIT) as stranger:  # a handshake that is refused
        stranger.get(f"{own.url}/live/", headers={"Connection": "Upgrade", "Upgrade": "websocket"})
    notify_for_a_round(own)
    wait_until(lambda: any('"event": "round_done"' in line for line in lines(own, "worker")))

    (done,) = [line for line in tasks_done(own) if line["task"] == answer["task_id"]]
    assert set(done) == {"time", "level", "logger", "event", "task", "kind", "ms", "outcome"}
    assert (done["kind"], done["outcome"]) == ("refine", "completed")
    assert done["ms"] >= 0
    for name in ("web", "worker", "beat"):
        for line in lines(own, name):
            assert isinstance(json.loads(line), dict), f"{name}: {line}"
            assert "127.0.0.1" not in line, f"{name}: {line}"
            assert own.demo["project_id"] not in line, f"{name}: {line}"
            assert WORD not in line, f"{name}: {line}"


HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: Upgrade\r\nUpgrade: {protocol}\r\n"
    "Sec-WebSocket-Version: {version}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: {origin}\r\n\r\n"
)


def handshake(port: int, **changed: str) -> bytes:
    usual = {
        "path": "/ws/p/1/",
        "protocol": "websocket",
        "version": "13",
        "origin": f"http://localhost:{port}",
    }
    return HANDSHAKE.format(port=port, **usual | changed).encode("latin-1")


def request_status(port: int, sent: bytes) -> int:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as stranger:
        stranger.sendall(sent)
        return int(stranger.recv(1000).split()[1])


def test_what_strangers_send_at_will_leaves_no_line_in_the_log(own: Stack) -> None:
    """A log holds 10 MB: anyone who could add a traceback with each request would push everything else out of it."""
    wait_until(lambda: httpx.get(f"{own.url}/readyz", trust_env=False, timeout=LIMIT).status_code == 200)
    port, local = own.port, b"Host: localhost\r\n"
    sent = {
        handshake(port, path="/ws/nowhere"): 403,
        handshake(port, path="/"): 403,
        handshake(port, path="/ws/p/%ff%00/"): 403,
        handshake(port, origin="http://evil.example"): 403,
        handshake(port, origin="http://["): 403,
        handshake(port, origin="http://localhost:99999"): 403,
        handshake(port, origin="\xff"): 403,
        handshake(port, version="99"): 400,
        handshake(port, protocol="h2c"): 404,
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n": 400,
        b"GET /api/openmem/v1/ping HTTP/1.1\r\nHost: a b<>\r\n\r\n": 400,
        b"\x16\x03\x01\x02\x00": 400,
        b"BREW / HTTP/1.1\r\n" + local + b"\r\n": 400,
        b"GET /nowhere/ HTTP/1.1\r\n" + local + b"\r\n": 404,
        b"POST /accounts/login/ HTTP/1.1\r\n" + local + b"Content-Length: 3\r\n\r\na=b": 403,
        b"POST / HTTP/1.1\r\n" + local + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n": 400,
    }
    before = lines(own, "web")

    assert [request_status(port, request) for request in sent] == list(sent.values())
    # A line of the last one would be there before the answer to the next.
    assert httpx.get(f"{own.url}/healthz", trust_env=False, timeout=LIMIT).status_code == 200
    assert lines(own, "web") == before


def test_a_fault_is_named_with_its_place_and_without_its_message() -> None:
    """A database's message quotes the row."""
    try:
        raise ValueError(f"Failing row contains (1, I play the {WORD}).")
    except ValueError as fault:
        record = logging.LogRecord("any", logging.ERROR, __file__, 1, "broke", (), (ValueError, fault, None))

    line = json.loads(JSONFormatter().format(record))

    assert line["fault"] == "ValueError"
    assert Path(__file__).name in line["at"][-1]
    assert WORD not in json.dumps(line)


def test_no_field_of_a_line_shows_a_secret_or_a_mail_address() -> None:
    record = logging.LogRecord("any", logging.INFO, __file__, 1, "refused", (), None)
    record.reason = ValueError("sk_live_51Habc is not known")
    record.at = ["mail of kim@example.org", {"whsec_abcdef": ("mpg-1234567890", None)}]
    record.ms = 12

    line = json.loads(JSONFormatter().format(record))

    assert line["reason"] == "sk_live_… is not known"
    assert line["at"] == ["mail of …@…", {"whsec_…": ["mpg-1234…", None]}]
    assert line["ms"] == 12


@pytest.mark.parametrize(
    ("message", "arguments", "written"),
    [
        ("used %s", ("sk_live_51Habc",), "used sk_live_…"),
        ("used %s", ("rk_test_51Habc",), "used rk_test_…"),
        ("used %s of %s", ("sk-abc-def", "kim@example.org"), "used sk-… of …@…"),
        ("task_done, risk_tests", (), "task_done, risk_tests"),
        ("%d of them", ("many",), "%d of them"),
    ],
)
def test_keys_and_addresses_are_cut_out_and_a_wrong_call_is_written_as_it_stands(
    message: str, arguments: tuple[str, ...], written: str
) -> None:
    record = logging.LogRecord("library", logging.WARNING, __file__, 1, message, arguments, None)

    assert Redact().filter(record)

    assert json.loads(JSONFormatter().format(record))["event"] == written
