"""An installation with a chat model: what its users hear while the model speaks or fails."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from uuid import uuid4

import httpx
import pytest

from console.embedded.stack import Stack
from memories.api import chat_stream
from memories.api.chat_stream import MAX_STREAMS, ChatStream, End, StreamSlot
from memories.chat import Chat, prepare_briefing
from memories.engine import get_answerer
from memories.retrieval.queries.query import SearchQuery
from memories.text.quotes.quotations import is_quotation
from memories.values import OwnerKind, Subject
from tenancy.errors import RateLimited
from tenancy.isolation.scoping import Scope
from tenancy.models import Project
from tenancy.requests import trace
from tests.support.api_client import Api, Tenant
from tests.support.clients.chat_streams import (
    MODEL_SECONDS,
    WORDS,
    asked,
    chats,
    counted,
    goes_well,
    hears,
    logged,
    said,
    stream,
)
from tests.support.servers.event_stream import Event, iterate_events, iterate_lines, join_text
from tests.support.servers.model_server import (
    Body,
    ModelServer,
    Reply,
    as_json,
    memories,
    streamed,
    thinking,
    used,
)
from tests.support.waiting import let_loop_run, look_until, wait_until


def test_the_model_answers_from_memories_and_from_the_talk_so_far(
    own: Stack, server: ModelServer, client: Api, kim: str
) -> None:
    client.add(kim, "I live in Porto.", async_mode=True)

    first = client.data("chat", asked(kim, system_prompt="You are a pirate."))
    client.data("chat", asked(kim, "And since when?", model_name="scripted-large", max_tokens=50))

    assert first == {"response": WORDS}
    body, next_body = chats(server)
    assert body["messages"][0]["content"].startswith("You are a pirate.")
    assert "I live in Porto." in body["messages"][-1]["content"]
    assert (body["model"], next_body["model"], next_body["max_tokens"]) == ("scripted", "scripted-large", 50)
    assert [message["role"] for message in next_body["messages"]] == ["system", "user", "assistant", "user"]
    assert "Where do I live?" in next_body["messages"][1]["content"]
    assert next_body["messages"][2]["content"] == WORDS


def test_what_is_said_is_streamed_and_reasoning_is_kept_out_and_dropped(
    server: ModelServer, client: Api, kim: str
) -> None:
    hears(server, streamed({"reasoning_content": "Porto,\nI think."}, "In Por", "to.\n"))

    events = stream(client, kim)

    assert events == [
        Event("reasoning", "Porto,\nI think."),
        Event("text", "In Por"),
        Event("text", "to.\n"),
        Event("end", ""),
    ]
    assert said(client, kim) == [("user", "Where do I live?"), ("assistant", "In Porto.\n")]


def test_tokens_are_counted_under_chat(own: Stack, server: ModelServer, client: Api, kim: str) -> None:
    hears(server, streamed("In Porto.", usage=used(100, 3)))
    before = counted(own)

    client.data("chat", asked(kim))
    stream(client, kim)

    wanted = tuple(count + increase for count, increase in zip(before, (2, 200, 6), strict=True))
    # What others hung up on may be counted in this moment too.
    look_until(
        lambda: counted(own),
        lambda now: all(count >= least for count, least in zip(now, wanted, strict=True)),
    )


def test_while_the_model_thinks_the_first_bytes_are_there(server: ModelServer, client: Api, kim: str) -> None:
    is_heard, thought = threading.Event(), []

    def answer(body: Body) -> Reply:
        if not body.get("stream"):
            return memories()
        thought.append(is_heard.wait(8))
        return streamed("In Porto.")

    server.answer = answer
    with client.stream("POST", "chat", json=asked(kim, stream=True)) as response:
        lines = iterate_lines(response)
        assert next(lines) == ": ping"
        is_heard.set()
        rest = list(lines)

    assert thought == [True]
    assert 'data: {"type":"text","data":"In Porto."}' in rest


def test_many_may_listen_while_others_search(server: ModelServer, client: Api, kim: str) -> None:
    """More than there are connections to the database: who listens holds none."""
    has_searched = threading.Event()
    server.answer = lambda body: thinking(has_searched, WORDS) if body.get("stream") else memories()

    with ThreadPoolExecutor(24) as crowd:
        heard = []
        for number in range(1, 25):
            heard.append(crowd.submit(stream, client, f"{kim} {number}", add_message_on_answer=number < 5))
            # Each begins with a search, and a busy machine refuses some of two dozen at the same moment.
            wait_until(lambda wanted=number: len(chats(server)) == wanted)
        searched = client.call("search/memory", {"user_id": kim, "query": "home"})
        has_searched.set()

    assert searched.status_code == 200
    assert {join_text(future.result()) for future in heard} == {WORDS}
    assert len(chats(server)) == 24


def test_an_account_has_a_hundred_streams_at_once_and_others_are_not_counted_with_it() -> None:
    account = Project(account_id=uuid4())
    taken = [StreamSlot(account) for _ in range(MAX_STREAMS)]

    with pytest.raises(RateLimited, match="streams"):
        StreamSlot(account)
    assert StreamSlot(Project(account_id=uuid4()))

    taken.pop().release()
    taken.append(StreamSlot(account))
    with pytest.raises(RateLimited, match="streams"):
        StreamSlot(account)
    taken.pop()  # a stream that nobody ever began to read
    assert StreamSlot(account)


def test_streams_that_are_refused_take_no_place(client: Api, kim: str) -> None:
    for _ in range(MAX_STREAMS + 1):
        refused = client.call("chat", asked(kim, stream=True, knowledgebase_ids=["nobodys"]))
        assert refused.json()["code"] == 50123

    assert join_text(stream(client, kim)) == WORDS


def test_who_does_not_read_is_hung_up_on(tenant: Tenant, kim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_stream, "STREAM_SECONDS", 0.5)
    chat = Chat(SearchQuery(text="Where do I live?", subject=Subject(OwnerKind.END_USER, kim)))
    slot, heard = StreamSlot(tenant.project), prepare_briefing(tenant.project, chat)
    logged: list[tuple[Body, bool]] = []
    settled: list[tuple[str, bool]] = []
    end = End(
        lambda body, silent: logged.append((body, silent)),
        lambda words, is_whole: settled.append((words, is_whole)),
    )
    answer_stream = ChatStream(
        slot,
        project=tenant.project,
        chat=chat,
        prepared=heard,
        traced=trace.begin_trace(),
        end=end,
        engine=get_answerer(Scope.of_project(tenant.project)),
    )

    async def send_nothing() -> None:
        async with aclosing(answer_stream.stream_events()) as events:
            async for _ in events:
                await let_loop_run(60)  # as a server waits for a client that reads nothing

    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool, pytest.raises(asyncio.CancelledError):
        pool.submit(asyncio.run, send_nothing()).result()

    assert time.monotonic() - began < 30
    ((body, is_silent),) = logged
    assert "too slowly" in body["message"]
    assert not is_silent
    assert [is_whole for _, is_whole in settled] == [False]


# When the model fails.


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (as_json({}, 401), "refused with 401"),
        (streamed(b"data: {broken\n\n"), "answered no JSON"),
        (streamed(" ", finish="content_filter"), "filtered"),
    ],
    ids=["401", "broken", "filtered"],
)
def test_a_model_that_says_nothing_is_replaced_by_the_memories_in_both_forms(
    own: Stack, server: ModelServer, client: Api, kim: str, reply: Reply, reason: str
) -> None:
    hears(server, reply)

    whole = client.call("chat", asked(kim))
    goes_well(server, client)
    hears(server, reply)
    heard = listen(client, kim)
    goes_well(server, client)

    is_replaced(own, whole, *heard, reason)
    assert [role for role, _ in said(client, kim)] == ["user", "assistant"] * 2


def test_a_model_that_is_silent_is_replaced_by_the_memories_in_both_forms(
    own: Stack, server: ModelServer, client: Api, kim: str
) -> None:
    hears(server, Reply(delay=MODEL_SECONDS + 4))

    with ThreadPoolExecutor(2) as pool:
        listening = pool.submit(listen, client, kim)
        whole = client.call("chat", asked(kim))
    goes_well(server, client)

    is_replaced(own, whole, *listening.result(), "timed out")


def listen(client: Api, user: str) -> tuple[list[Event], str]:
    """What is heard, and which request it was."""
    with client.stream("POST", "chat", json=asked(user, stream=True)) as answer:
        return list(iterate_events(answer)), answer.headers["X-Request-Id"]


def is_replaced(
    own: Stack, whole: httpx.Response, events: list[Event], streamed_by: str, reason: str
) -> None:
    assert whole.json()["code"] == 0
    assert is_quotation(whole.json()["data"]["response"])
    assert join_text(events) == whole.json()["data"]["response"]
    assert {event.type for event in events} == {"text", "end"}
    for request in (whole.headers["X-Request-Id"], streamed_by):
        code, status, _, steps = logged(own, request)
        assert (code, status) == (0, 200)
        note = next(step["note"] for step in steps if step["stage"] == "model")
        assert note["replaced_by"] == f"local-answer-1 (remote: {reason})"


@pytest.mark.parametrize("status", [429, 500])
def test_a_model_that_is_busy_is_asked_again(server: ModelServer, client: Api, kim: str, status: int) -> None:
    hears(server, as_json({}, status), streamed(WORDS))
    assert client.data("chat", asked(kim)) == {"response": WORDS}

    hears(server, as_json({}, status), streamed(WORDS))
    assert join_text(stream(client, kim)) == WORDS


@pytest.mark.parametrize(
    "reply",
    [
        streamed("In Por", finish=""),
        streamed("In Por", b"data: {broken\n\n"),
        streamed("In Por", b'data: {"error": {"message": "canaryword"}}\n\n'),
    ],
    ids=["cut", "malformed", "error"],
)
def test_an_answer_that_breaks_off_ends_with_an_error_and_is_kept_as_far_as_it_came(
    own: Stack, server: ModelServer, client: Api, kim: str, reply: Reply
) -> None:
    hears(server, reply)

    with client.stream("POST", "chat", json=asked(kim, stream=True)) as answer:
        events = list(iterate_events(answer))
    goes_well(server, client)

    assert [event.type for event in events] == ["text", "error", "end"]
    assert "canaryword" not in events[1].data
    assert said(client, kim) == [("user", "Where do I live?"), ("assistant", "In Por")]
    code, status, body, steps = logged(own, answer.headers["X-Request-Id"])
    assert (code, status, json.loads(body)["data"]) == (50002, 200, {"response": "In Por"})
    assert next(step["note"]["trouble"] for step in steps if step["stage"] == "model")


def test_a_talk_too_long_for_the_model_is_named(server: ModelServer, client: Api, kim: str) -> None:
    error = {"error": {"message": "This model's maximum context length is 4096 tokens."}}
    hears(server, as_json(error, 400))

    refusal = client.call("chat", asked(kim))

    assert (refusal.status_code, refusal.json()["code"]) == (400, 40303)
    assert stream(client, kim)[0].type == "error"


def test_a_model_that_only_thinks_until_its_limit_is_named(
    server: ModelServer, client: Api, kim: str
) -> None:
    hears(server, streamed({"reasoning_content": "Hm. " * 50}, finish="length"))

    refusal = client.call("chat", asked(kim, max_tokens=50))

    assert (refusal.status_code, refusal.json()["code"]) == (400, 40302)
