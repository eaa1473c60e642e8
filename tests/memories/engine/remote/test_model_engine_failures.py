"""A chat model that answers wrongly, late or not at all: repaired, retried, or replaced by the rules."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

import pytest

from memories.engine.client import provider_breaker
from memories.engine.metering import collecting_usage
from tenancy.metering.model_usage import Spent
from tests.support.extraction.model_extraction import (
    LOCAL,
    MOVED,
    SAID,
    by_rules,
    engine,
    propose,
    texts,
    user,
)
from tests.support.servers.model_server import (
    SILENT_SECONDS,
    ModelServer,
    Reply,
    as_json,
    completion,
    memories,
    parse_data,
    proposal,
    used,
)
from tests.support.waiting import let_time_pass


@pytest.mark.parametrize(
    "wrong",
    [
        '{"memories": [',
        "Sure! Here is what I found:",
        "",
        "[" * 50_000,
        '{"memories": NaN}',
        {"memories": [{"text": "The user moved."}]},
    ],
)
def test_a_wrong_answer_is_repaired_once(server: ModelServer, wrong: Any) -> None:
    server.will_say(completion(wrong, usage=used(10, 1)), memories(MOVED, usage=used(20, 2)))

    with collecting_usage() as spent:
        extraction = propose(server)

    assert texts(extraction) == [MOVED["text"]]
    assert extraction.by == "some-model (extract-2)"
    first, second = (body["messages"] for body in server.bodies)
    assert second[:2] == first
    assert [message["role"] for message in second[2:]] == ["assistant", "user"]
    assert "- " in second[3]["content"]
    assert [(usage.prompt_tokens, usage.completion_tokens) for usage in spent] == [(10, 1), (20, 2)]


def test_the_repair_names_the_fault(server: ModelServer) -> None:
    server.will_say(completion({"memories": [MOVED | {"confidence": "high"}]}), memories(MOVED))

    propose(server)

    assert (
        "$.memories[0].confidence: 'high' is not of type 'number'"
        in server.bodies[1]["messages"][3]["content"]
    )


def test_an_answer_that_is_wrong_twice_is_left_to_the_rules(server: ModelServer) -> None:
    server.will_say(completion("no"), completion("no again"))

    extraction = propose(server)

    assert extraction.drafts == by_rules()
    assert extraction.by == f"{LOCAL} (remote: invalid answer)"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (completion('{"memories": [', finish_reason="length", usage=used(7, 7)), "cut short"),
        (completion("", finish_reason="content_filter", usage=used(7, 7)), "filtered"),
        (completion(None, refusal="I will not.", usage=used(7, 7)), "declined"),
    ],
)
def test_a_cut_or_declined_answer_is_not_repaired_but_paid(
    server: ModelServer, reply: Reply, reason: str
) -> None:
    server.will_say(reply)

    with collecting_usage() as spent:
        extraction = propose(server)

    assert extraction.drafts == by_rules()
    assert extraction.by == f"{LOCAL} (remote: {reason})"
    assert len(server.asked) == 1
    assert spent == [Spent("extraction", "some-model", 7, 7)]


@pytest.mark.parametrize(
    "wrapped", ["```json\n{}\n```", "<think>A {move}.</think>\n{}", "Here:\n```\n{}\n```\nDone."]
)
def test_thoughts_and_fences_around_an_answer_do_no_harm(server: ModelServer, wrapped: str) -> None:
    server.will_say(completion(wrapped.replace("{}", json.dumps({"memories": [MOVED]}))))

    assert texts(propose(server)) == [MOVED["text"]]


def test_tokens_are_estimated_where_the_server_does_not_count(server: ModelServer) -> None:
    server.will_say(memories(MOVED))

    with collecting_usage() as spent:
        propose(server)

    (usage,) = spent
    assert usage.is_estimated
    assert usage.prompt_tokens > 500
    assert usage.completion_tokens > 50


def test_a_server_that_knows_no_schema_is_asked_more_simply_from_then_on(server: ModelServer) -> None:
    unknown = as_json({"error": {"message": "response_format json_schema is not supported"}}, 400)
    server.will_say(unknown, unknown)
    server.answer = lambda body: memories(MOVED)
    asking = engine(server)

    for _ in range(2):
        assert texts(asking.propose([user(SAID)], [])) == [MOVED["text"]]

    formats = [body.get("response_format", {}).get("type") for body in server.bodies]
    assert formats == ["json_schema", "json_object", None, None]
    assert "The JSON Schema of your answer" in server.bodies[-1]["messages"][0]["content"]


def test_a_server_with_other_names_for_limits_is_understood(server: ModelServer) -> None:
    server.will_say(
        as_json({"error": {"message": "Unsupported parameter: 'max_tokens'", "param": "max_tokens"}}, 400),
        as_json({"error": {"message": "Unsupported value: 'temperature'"}}, 400),
        memories(MOVED),
    )

    assert texts(propose(server)) == [MOVED["text"]]
    last = server.bodies[-1]
    assert last["max_completion_tokens"] == 4_000
    assert not {"max_tokens", "temperature"} & last.keys()
    assert last["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
def test_a_hiccup_is_tried_again(server: ModelServer, status: int) -> None:
    server.will_say(as_json({}, status), as_json({}, status), memories(MOVED))

    assert propose(server).by == "some-model (extract-2)"
    assert len(server.asked) == 3


def test_a_provider_that_asks_to_wait_is_waited_for(server: ModelServer) -> None:
    server.will_say(as_json({}, 429, Retry_After="1"), memories(MOVED))
    began = time.monotonic()

    assert propose(server).by == "some-model (extract-2)"
    assert time.monotonic() - began >= 1


def test_a_provider_that_asks_to_wait_too_long_is_left_alone(server: ModelServer) -> None:
    server.will_say(as_json({}, 429, Retry_After="60"))
    asking = engine(server)

    assert asking.propose([user(SAID)], []).by == f"{LOCAL} (remote: answered 429)"
    assert asking.propose([user(SAID)], []).by == f"{LOCAL} (remote: paused after failures)"
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("reply", "reason", "asked"),
    [
        (as_json({}, 500), "answered 500", 3),
        (as_json({"error": "sk-test and secret words"}, 401), "refused with 401", 1),
        (as_json({}, 404), "refused with 404", 1),
        (as_json({}, 302, Location="/elsewhere"), "refused with 302", 1),
        (as_json({"error": "context too long"}, 400), "refused with 400", 3),
        (Reply(200, b"<html>busy</html>"), "answered no JSON", 3),
        (as_json({"choices": []}), "answered something else than a completion", 1),
        (as_json([]), "answered something else than a completion", 1),
    ],
)
def test_what_no_retry_mends_is_left_to_the_rules(
    server: ModelServer, reply: Reply, reason: str, asked: int, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer = lambda body: reply

    with caplog.at_level(logging.INFO):
        extraction = propose(server)

    assert extraction.drafts == by_rules()
    assert extraction.by == f"{LOCAL} (remote: {reason})"
    assert len(server.asked) == asked
    logged = " ".join(str(record.__dict__) for record in caplog.records)
    assert reason in logged
    assert not any(word in logged for word in ("Shanghai", "secret", "sk-test"))


def test_a_provider_that_is_not_there_is_replaced_by_the_rules() -> None:
    gone = ModelServer()
    gone.close()

    extraction = propose(gone)

    assert extraction.drafts == by_rules()
    assert extraction.by == f"{LOCAL} (remote: not reachable)"


@pytest.mark.parametrize(
    "reply", [Reply(delay=SILENT_SECONDS), Reply(content=b" " * 1_000, drip=0.1)], ids=["silent", "dripping"]
)
def test_the_time_limit_holds_whatever_the_provider_does(server: ModelServer, reply: Reply) -> None:
    server.answer = lambda body: reply
    began = time.monotonic()

    extraction = propose(server, seconds=0.5)

    assert extraction.by == f"{LOCAL} (remote: timed out)"
    assert 0.4 < time.monotonic() - began < SILENT_SECONDS / 2


def test_one_window_that_fails_is_read_by_the_rules_and_the_memory_says_so(server: ModelServer) -> None:
    def answer(body: Any) -> Reply:
        new = [message for message in parse_data(body)["messages"] if "known" not in message]
        if new[0]["turn"] == 0:
            return as_json({}, 401)
        return memories(*[proposal("The user likes tea very much.", message["turn"]) for message in new])

    server.answer = answer
    messages = ["I live in Rome." + " really" * 200, "I like tea" + " very" * 250 + " much."]

    extraction = propose(server, *messages, input_tokens=1_000)

    assert extraction.by == f"some-model (extract-2), 1 of 2 parts {LOCAL} (remote: refused with 401)"
    assert any("Rome" in text for text in texts(extraction))
    assert "The user likes tea very much." in texts(extraction)


def test_the_breaker_opens_after_failures_and_closes_after_a_good_answer(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_breaker, "REST_SECONDS", 1.5)
    server.answer = lambda body: as_json({}, 500)
    asking = engine(server)
    while len(server.asked) < provider_breaker.FAILURES:
        asking.propose([user(SAID)], [])

    assert asking.propose([user(SAID)], []).by == f"{LOCAL} (remote: paused after failures)"
    assert len(server.asked) == provider_breaker.FAILURES
    assert "127.0.0.1" in provider_breaker.list_providers_with_open_breaker()

    server.answer = lambda body: memories(MOVED)
    let_time_pass(1.6, "the circuit breaker rests")
    assert asking.propose([user(SAID)], []).by == "some-model (extract-2)"
    assert not provider_breaker.get_breaker(server.url, "sk-test").rests


def test_after_its_rest_a_provider_gets_one_probe_at_a_time() -> None:
    now = [0.0]
    guard = provider_breaker.Breaker("somewhere", clock=lambda: now[0])
    for _ in range(provider_breaker.FAILURES):
        assert guard.wait(10) == 0
        guard.failed()

    now[0] = provider_breaker.REST_SECONDS - 1
    assert guard.rests
    assert guard.wait(10) > 0
    now[0] = provider_breaker.REST_SECONDS + 1
    assert not guard.rests
    assert guard.wait(10) == 0
    assert guard.wait(10) > 0
    guard.failed()
    assert guard.wait(10) > 0
    now[0] += provider_breaker.REST_SECONDS + 1
    assert guard.wait(10) == 0
    now[0] += 11  # the probe never came back
    assert guard.wait(10) == 0
    guard.succeeded()
    assert guard.wait(10) == guard.wait(10) == 0


def test_breakers_are_shared_by_provider_and_key(server: ModelServer) -> None:
    assert provider_breaker.get_breaker(server.url, "one") is provider_breaker.get_breaker(server.url, "one")
    assert provider_breaker.get_breaker(server.url, "one") is not provider_breaker.get_breaker(
        server.url, "two"
    )
