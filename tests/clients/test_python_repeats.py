"""How the Python client repeats what failed: once for the server, however often it was sent."""

from __future__ import annotations

import httpx
import pytest

from engram_client import (
    ConnectionFailed,
    Engram,
    InvalidRequest,
    RateLimited,
    ServerError,
    StreamFailed,
    TaskFailed,
    TimedOut,
    requests,
)
from tests.support.api_client import Tenant
from tests.support.servers.unreliable import Answer, UnreliableServer, unreachable_url

BUSY = {"code": 50004, "data": None, "message": "Try again"}
SLOW_DOWN = {"code": 40300, "data": None, "message": "Rate limit exceeded"}
MONTH = {"code": 40304, "data": None, "message": "Total API call quota exceeded"}


@pytest.fixture(autouse=True)
def _quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "FIRST_BACKOFF", 0.01)


@pytest.fixture
def engram(unreliable: UnreliableServer) -> Engram:
    return Engram("mpg-x", unreliable.url, timeout=5)


@pytest.mark.parametrize(
    "first",
    [
        Answer(500, BUSY),
        Answer(503, BUSY),
        Answer(0),
        Answer(429, SLOW_DOWN, {"Retry-After": "0"}),
        Answer(502, b"<html>"),
    ],
)
def test_a_write_is_repeated_under_the_same_key(
    engram: Engram, unreliable: UnreliableServer, first: Answer
) -> None:
    unreliable.answers = [first]

    engram.add("I live in Porto.", user_id="kim")

    keys = [request.headers["idempotency-key"] for request in unreliable.received]
    assert len(keys) == 2
    assert keys[0] == keys[1]
    assert unreliable.received[0].body == unreliable.received[1].body


def test_two_writes_have_two_keys(engram: Engram, unreliable: UnreliableServer) -> None:
    engram.add("a", user_id="kim")
    engram.add("a", user_id="kim")
    engram.add("a", user_id="kim", idempotency_key="mine")

    keys = [request.headers["idempotency-key"] for request in unreliable.received]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"


def test_a_first_try_that_is_still_at_work_is_waited_for(
    engram: Engram, unreliable: UnreliableServer
) -> None:
    unreliable.answers = [Answer(0), Answer(409, {"code": 40000, "data": None, "message": "in progress"})]

    engram.add("I live in Porto.", user_id="kim")

    assert len(unreliable.received) == 3


def test_what_the_caller_must_put_right_is_not_repeated(engram: Engram, unreliable: UnreliableServer) -> None:
    unreliable.answers = [Answer(400, {"code": 40000, "data": None, "message": "Invalid request parameters"})]

    with pytest.raises(InvalidRequest):
        engram.add("a", user_id="kim")

    assert len(unreliable.received) == 1


def test_a_quota_of_a_month_is_not_waited_for(engram: Engram, unreliable: UnreliableServer) -> None:
    unreliable.answers = [Answer(429, MONTH, {"Retry-After": "864000"})]

    with pytest.raises(RateLimited) as refused:
        engram.search("a", user_id="kim")

    assert refused.value.retry_after == 864000
    assert len(unreliable.received) == 1


def test_tries_come_to_an_end(unreliable: UnreliableServer) -> None:
    unreliable.answers = [Answer(500, BUSY)] * 5

    with Engram("mpg-x", unreliable.url, retries=2) as engram, pytest.raises(ServerError):
        engram.search("a", user_id="kim")

    assert len(unreliable.received) == 3


def test_what_has_no_key_is_not_sent_twice(engram: Engram, unreliable: UnreliableServer) -> None:
    unreliable.answers = [Answer(500, {"code": 500, "msg": "broken"})]

    with pytest.raises(ServerError, match="broken"):
        engram.create_session(user="kim")

    assert len(unreliable.received) == 1


def test_nobody_at_the_address_is_said_so() -> None:
    with unreachable_url() as url:
        engram = Engram("mpg-x", url, retries=1)
        with pytest.raises(ConnectionFailed, match="127.0.0.1"):
            engram.ping()


def test_a_redirect_is_an_error_that_names_the_base_url(engram: Engram, unreliable: UnreliableServer) -> None:
    unreliable.answers = [Answer(301, b"", {"Location": "https://elsewhere.example/"})]

    with pytest.raises(InvalidRequest, match="check the base URL"):
        engram.search("a", user_id="kim")


def test_a_stream_that_breaks_off_is_an_error_after_what_came(
    engram: Engram, unreliable: UnreliableServer
) -> None:
    piece = b'event: message\ndata: {"type":"text","data":"You live "}\n\n: ping\n\n'
    unreliable.answers = [Answer(200, piece), Answer(200, piece, {"Content-Length": "999"})]
    for _ in range(2):
        stream = engram.stream_chat("Where?", user_id="kim", conversation_id="c")
        assert next(stream).text == "You live "
        with pytest.raises(ConnectionFailed):
            next(stream)


def test_an_error_in_a_stream_is_raised(engram: Engram, unreliable: UnreliableServer) -> None:
    unreliable.answers = [Answer(200, b'data: {"type":"error","data":"[50002] the model failed"}\n\n')]

    with pytest.raises(StreamFailed, match="50002"):
        list(engram.stream_chat("Where?", user_id="kim", conversation_id="c"))


@pytest.mark.parametrize(("status", "expected"), [("failed", TaskFailed), ("running", TimedOut)])
def test_waiting_ends(
    engram: Engram, unreliable: UnreliableServer, status: str, expected: type[Exception]
) -> None:
    answer = Answer(200, {"code": 0, "data": {"task_id": "t1", "status": status}, "message": "ok"})
    unreliable.answers = [answer] * 20

    with pytest.raises(expected):
        engram.wait("t1", timeout=0.3)


def test_a_lost_answer_leaves_one_message(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer of the running server is lost after it was read."""
    with Engram(tenant.key, tenant.url) as engram:
        send, tries = httpx.Client.send, []

        def lose_first(self: httpx.Client, request: httpx.Request, **options: object) -> httpx.Response:
            answer = send(self, request, **options)  # type: ignore[arg-type]
            tries.append(request)
            if len(tries) == 1:
                raise httpx.ReadError("connection lost", request=request)
            return answer

        monkeypatch.setattr(httpx.Client, "send", lose_first)
        engram.wait(engram.add("I live in Porto.", user_id="kim", conversation_id="c"))

        assert len(engram.messages("c", user_id="kim")) == 1
