"""A chat model that does not understand, breaks off or says nothing: what is tried again, and what is told of it."""

from __future__ import annotations

import time

import pytest

from memories.engine.answering import AnswerTooLong, Manner
from memories.engine.client import streaming
from memories.engine.protocols import AnswerUseless, ProviderRefused, ProviderUnavailable
from tests.support.servers import own_loop
from tests.support.servers.chat_model import answerer, asking, listen, said
from tests.support.servers.model_server import (
    SILENT_SECONDS,
    Body,
    ModelServer,
    Reply,
    as_json,
    endless,
    streamed,
)

# What servers do not understand.


def test_what_a_server_does_not_understand_is_left_out_and_remembered(server: ModelServer) -> None:
    def picky(body: Body) -> Reply:
        for name in ("stream_options", "top_p", "temperature", "max_tokens"):
            if name in body:
                return as_json({"error": {"message": f"Unsupported parameter: {name}"}}, 400)
        return streamed("Yes.")

    server.answer = picky
    engine = answerer(server)

    assert said(listen(engine, asking(manner=Manner(top_p=0.5)))) == "Yes."
    assert "max_completion_tokens" in server.bodies[-1]
    assert len(server.asked) == 5
    listen(engine, asking(manner=Manner(top_p=0.5)))
    assert len(server.asked) == 6


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 9000 (max_tokens 8192).",
        "context_length_exceeded",
    ],
)
def test_a_talk_too_long_for_the_model_is_named(server: ModelServer, message: str) -> None:
    server.will_say(as_json({"error": {"message": message}}, 400))

    with pytest.raises(AnswerTooLong):
        answerer(server).answer(asking())
    assert len(server.asked) == 1


# What happens when it fails.


@pytest.mark.parametrize(
    "reply",
    [
        as_json({}, 503),
        as_json({}, 429, Retry_After="0"),
        as_json({}, 500),
        Reply(content=b"<html>"),
        streamed(b"data: {broken\n\n"),
        streamed(b'data: {"error": {"message": "overloaded"}}\n\n'),
        streamed(b"data: [1]\n\n"),
        streamed(b'data: {"choices": [7]}\n\n'),
        streamed(finish=""),
    ],
    ids=lambda reply: f"{reply.status} {reply.content!r} {reply.parts!r:.40}",
)
def test_before_its_first_word_the_model_is_asked_again(server: ModelServer, reply: Reply) -> None:
    server.will_say(reply, reply, streamed("In Porto."))

    assert said(listen(answerer(server))) == "In Porto."
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (streamed("In ", finish=""), "connection broke"),
        (streamed("In ", b"data: {broken\n\n"), "answered no JSON"),
        (streamed("In ", b'data: {"error": {"message": "secret"}}\n\n'), "answered an error"),
        (streamed("In ", 3.0, "Porto."), "timed out"),
        (streamed("In ", b": ping\n\n", 0.4, b": ping\n\n", 0.4, b": ping\n\n", 0.4, "Porto."), "timed out"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, str) else "",
)
def test_after_its_first_word_a_failure_is_the_end(server: ModelServer, reply: Reply, reason: str) -> None:
    server.answer = lambda body: reply
    engine = answerer(server, between=1.0)
    heard: list[str] = []

    async def listening() -> None:
        async for piece in engine.stream(asking()):
            heard.append(piece.text)

    with pytest.raises(ProviderUnavailable, match=reason):
        own_loop.run(listening())
    assert heard == ["In "]
    assert len(server.asked) == 1


def test_who_waits_for_a_whole_answer_is_told_in_time_that_there_is_none(server: ModelServer) -> None:
    server.answer = lambda body: endless(pause=0.05)
    began = time.monotonic()

    with pytest.raises(ProviderUnavailable, match="timed out"):
        answerer(server, seconds=1).answer(asking())

    assert time.monotonic() - began < SILENT_SECONDS / 2


def test_a_slow_first_word_is_waited_for_until_the_limit(server: ModelServer) -> None:
    server.answer = lambda body: streamed(0.6, "In Porto.")

    assert said(listen(answerer(server, between=0.3))) == "In Porto."
    with pytest.raises(ProviderUnavailable, match="timed out"):
        listen(answerer(server, seconds=0.3))


@pytest.mark.parametrize(
    ("reply", "problem", "reason"),
    [
        (as_json({}, 401), ProviderRefused, "refused with 401"),
        (as_json({}, 404), ProviderRefused, "refused with 404"),
        (as_json({"error": "sk-canary"}, 400), ProviderRefused, "refused with 400"),
        (streamed(finish="length"), AnswerUseless, "cut short"),
        (streamed({"reasoning_content": "Hm."}, finish="length"), AnswerUseless, "cut short"),
        (streamed(" \n"), AnswerUseless, "empty answer"),
        (streamed("In ", finish="content_filter"), AnswerUseless, "filtered"),
        (
            Reply(headers={"Content-Type": "text/event-stream"}, parts=[b"x" * 2**21]),
            ProviderRefused,
            "large",
        ),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else "",
)
def test_what_another_try_would_not_change_is_not_tried_again(
    server: ModelServer, reply: Reply, problem: type[Exception], reason: str
) -> None:
    server.answer = lambda body: reply

    with pytest.raises(problem, match=reason) as raised:
        answerer(server).answer(asking())

    assert "canary" not in str(raised.value)
    assert len(server.asked) == 1


def test_a_model_that_keeps_failing_is_left_alone(server: ModelServer) -> None:
    server.answer = lambda body: as_json({}, 503)
    engine = answerer(server)
    for _ in range(2):
        with pytest.raises(ProviderUnavailable):
            listen(engine)

    asked = len(server.asked)
    with pytest.raises(ProviderUnavailable, match="paused after failures"):
        listen(engine)

    assert len(server.asked) == asked == 5


def test_a_model_that_is_not_there_is_named(server: ModelServer) -> None:
    engine = answerer(server)
    server.close()

    with pytest.raises(ProviderUnavailable, match="not reachable"):
        engine.answer(asking())


def test_nothing_of_a_stream_outlives_an_erasure() -> None:
    """The log row of a stream may be stored after the erasure that it must obey."""
    from tenancy.requests.log_erasure import REMEMBERED

    patience = streaming.StreamTimeouts()
    assert patience.first + patience.whole < REMEMBERED.total_seconds()
