"""An installation with a chat model: what becomes of an answer whose listener, user or server goes."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx
import pytest

from console.embedded.stack import Stack
from tests.support.api_client import Api
from tests.support.clients.chat_streams import (
    WORDS,
    asked,
    chats,
    goes_well,
    hears,
    logged,
    query,
    said,
    stream,
    wait_until_said,
)
from tests.support.servers.event_stream import Event, iterate_events, iterate_lines, join_text
from tests.support.servers.model_server import (
    ModelServer,
    Reply,
    endless,
    streamed,
)
from tests.support.waiting import LIMIT, wait_until


def counting(words: str, pause: float) -> tuple[Reply, list[float]]:
    """A model without end, and when it said each word."""
    times: list[float] = []

    def parts() -> Iterator[bytes | float]:
        for part in endless(words, pause).parts or ():
            if isinstance(part, bytes):
                times.append(time.monotonic())
            yield part

    return Reply(headers={"Content-Type": "text/event-stream"}, parts=parts()), times


def test_who_hangs_up_is_no_longer_answered_and_what_was_heard_is_kept(
    own: Stack, server: ModelServer, client: Api, kim: str
) -> None:
    reply, times = counting("on and ", 0.1)
    hears(server, reply)

    with client.stream("POST", "chat", json=asked(kim, stream=True)) as answer:
        events = iterate_events(answer)
        heard = [next(events).data for _ in range(5)]

    assert heard == ["on and "] * 5
    code, _, body, steps = logged(own, answer.headers["X-Request-Id"])
    kept = json.loads(body)["data"]["response"]
    assert kept.startswith("on and " * 5)
    assert len(kept) < 400
    wait_until_said(client, kim, ("user", "Where do I live?"), ("assistant", kept))
    assert code == 0
    assert next(step["note"]["ended"] for step in steps if step["stage"] == "model") == "left alone"
    wait_until(
        lambda: time.monotonic() - times[-1] > 1
    )  # it says a word every tenth of a second to who listens


def test_who_hangs_up_before_the_first_word_may_ask_again_as_if_nothing_was_said(
    own: Stack, server: ModelServer, client: Api, kim: str
) -> None:
    hears(server, streamed(3.0, WORDS))
    with client.stream("POST", "chat", json=asked(kim, stream=True)) as answer:
        assert next(iterate_lines(answer)) == ": ping"
    logged(own, answer.headers["X-Request-Id"])
    assert said(client, kim) == []

    hears(server, streamed(WORDS))
    stream(client, kim)

    assert said(client, kim) == [("user", "Where do I live?"), ("assistant", WORDS)]


def test_a_user_who_is_erased_while_the_model_speaks_stays_erased(
    server: ModelServer, client: Api, kim: str
) -> None:
    client.add(kim, "I live in Porto.", async_mode=True)
    hears(server, streamed("In ", 1.5, "Porto."))

    with client.stream("POST", "chat", json=asked(kim, stream=True)) as answer:
        events = iterate_events(answer)
        next(events)
        client.data("delete/memory", {"user_id": kim})
        rest = list(events)

    assert [event.type for event in rest] == ["text", "end"]
    assert said(client, kim) == []
    assert client.facts(kim, "Porto", relativity=0) == []


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_stream_that_ends_after_an_erasure_leaves_no_words_in_the_log(
    own: Stack, server: ModelServer, client: Api, kim: str, is_kept: bool
) -> None:
    client.add(kim, "I live in Porto.", async_mode=True)
    hears(server, streamed("In ", 1.5, "Porto."))

    body = asked(kim, stream=True, add_message_on_answer=is_kept)
    with client.stream("POST", "chat", json=body) as answer:
        events = iterate_events(answer)
        next(events)
        client.data("delete/memory", {"user_id": kim})
        list(events)

    request = answer.headers["X-Request-Id"]
    assert logged(own, request)[2] == ""
    row = query(
        own,
        "SELECT request_body, subject_id, subjects FROM tenancy_requestlog WHERE request_id = %s",
        request,
    )
    assert row == [("", "", [])]


@pytest.mark.parametrize("is_kept", [True, False])
def test_an_answer_to_a_user_who_was_erased_meanwhile_is_not_stored_for_a_repeat(
    own: Stack, server: ModelServer, client: Api, kim: str, is_kept: bool
) -> None:
    client.add(kim, "I live in Porto.", async_mode=True)
    hears(server, streamed(2.0, "You told me canaryporto."))
    key = {"Idempotency-Key": uuid4().hex}
    body = asked(kim, add_message_on_answer=is_kept)

    with ThreadPoolExecutor(1) as pool:
        answering = pool.submit(client.call, "chat", body, headers=key)
        wait_until(lambda: bool(chats(server)))
        client.data("delete/memory", {"user_id": kim})
        answer = answering.result()

    assert answer.json()["code"] == 0
    assert query(own, "SELECT key FROM tenancy_storedanswer WHERE body::text LIKE '%%canaryporto%%'") == []
    assert said(client, kim) == []


def test_a_server_that_is_stopped_ends_its_streams_with_an_event(
    own: Stack, server: ModelServer, client: Api, kim: str
) -> None:
    hears(server, counting("on and ", 0.2)[0])
    events: list[Event] = []
    begun = threading.Event()

    def listen() -> None:
        with client.stream("POST", "chat", json=asked(kim, stream=True)) as answer:
            for event in iterate_events(answer):
                events.append(event)
                begun.set()

    listening = threading.Thread(target=listen)
    listening.start()
    assert begun.wait(LIMIT)
    web = own.pids["web"]
    assert web is not None
    os.kill(web, signal.SIGTERM)
    listening.join(LIMIT)

    assert [event.type for event in events[-2:]] == ["error", "end"]
    wait_until_serving(own, web)
    assert said(client, kim) == [("user", "Where do I live?"), ("assistant", join_text(events))]


def wait_until_serving(own: Stack, gone: int, seconds: float = LIMIT) -> None:
    wait_until(lambda: own.pids.get("web") not in (None, gone) and is_serving(own), seconds)


def is_serving(own: Stack) -> bool:
    try:
        return (
            httpx.get(f"{own.url}/healthz", trust_env=False, verify=False, timeout=LIMIT).status_code == 200
        )
    except httpx.HTTPError:
        return False


def test_neither_words_nor_keys_are_in_the_logs(
    own: Stack, server: ModelServer, client: Api, kim: str
) -> None:
    hears(server, streamed("My canaryword.", finish=""))

    stream(client, kim, query="My canaryword is a parrot.")
    goes_well(server, client)

    logs = "".join(log.read_text() for log in (own.path / "logs").glob("*.log"))
    assert "canary" not in logs
