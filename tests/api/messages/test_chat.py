"""Chat without a model: what users are answered, what is remembered of it, and how a stream looks to its readers."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import httpx
import pytest

from memories.models import CubeGrant, MemCube
from memories.values import OwnerKind
from tenancy.isolation.keyed_hashes import compute_digest
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key
from tenancy.models import StoredAnswer
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.knowledge.knowledge import filled_base
from tests.support.servers.event_stream import Event, iterate_events, join_text, read_like_the_sdk
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import LIMIT, look_until

ASK = "Where does the user live?"


def asked(user: str, query: str = ASK, **options: Any) -> dict[str, Any]:
    return {"user_id": user, "conversation_id": "talk", "query": query, **options}


def chat(api: Api, user: str, query: str = ASK, **options: Any) -> str:
    data = accepted(api.call("chat", asked(user, query, **options)))
    assert set(data) == {"response"}
    return str(data["response"])


def said(api: Api, user: str, conversation: str = "talk") -> list[tuple[str, str]]:
    answer = api.data(
        "get/message", {"user_id": user, "conversation_id": conversation, "message_limit_number": 50}
    )
    return [(message["role"], message["content"]) for message in answer["message_detail_list"]]


# What is answered.


@pytest.mark.parametrize("path", ["chat", "chat/"])
def test_users_are_answered_from_what_they_said_before(api: Api, user: str, path: str) -> None:
    api.add(user, "I live in Porto. I like window seats when I fly.")

    answer = accepted(api.call(path, asked(user)))["response"]

    assert "You live in Porto." in answer
    assert "without a language model" in answer


def test_chinese_users_are_answered_in_chinese(api: Api, user: str) -> None:
    api.add(user, "我住在杭州。我喜欢喝龙井茶。")

    answer = chat(api, user, "我住在哪里？")

    assert "你住在杭州。" in answer
    assert "未使用语言模型" in answer


def test_who_said_nothing_yet_is_told_that_nothing_is_known(api: Api, user: str) -> None:
    assert chat(api, user).startswith("No stored memory answers this.")
    assert chat(api, user, "我住在哪里？").startswith("已存储的记忆里没有这个问题的答案。")


def test_preferences_are_part_of_the_answer_unless_they_are_not_wanted(api: Api, user: str) -> None:
    api.add(user, "I like window seats when I fly.")
    ask = "Which seat does the user like on a plane?"

    assert "window seat" in chat(api, user, ask, add_message_on_answer=False)
    assert "window seat" not in chat(
        api, user, ask, add_message_on_answer=False, include_preference=False, memory_limit_number=0
    )


def test_a_filter_and_a_threshold_narrow_what_is_recalled(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.", info={"scene": "home"})
    narrowed = {"add_message_on_answer": False, "filter": {"and": [{"scene": "office"}]}}

    assert "Porto" not in chat(api, user, **narrowed)
    assert "Porto" not in chat(api, user, add_message_on_answer=False, memory_limit_number=0)
    assert "Porto" in chat(api, user, filter={"and": [{"scene": "home"}]}, relativity="0")


def test_what_was_said_a_moment_ago_is_known(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.", async_mode=True)

    assert "Porto" in chat(api, user)


# What is remembered.


def test_the_turn_is_kept_as_it_was_said_and_found_by_the_next_search(api: Api, user: str) -> None:
    answer = chat(api, user, "I live in Porto with my dog Rex.")

    assert said(api, user) == [("user", "I live in Porto with my dog Rex."), ("assistant", answer)]
    assert any("Porto" in fact for fact in api.facts(user, ASK))


def test_what_the_user_said_becomes_memories_with_the_labels_of_the_call(api: Api, user: str) -> None:
    labels = {"agent_id": "bot", "app_id": "web", "tags": ["home"], "info": {"scene": "chat"}}
    chat(api, user, "I live in Porto.", **labels)

    memory = wait_for_fact(api, user, "The user lives in Porto.")
    assert (memory["info"], memory["conversation_id"]) == ({"scene": "chat"}, "talk")
    assert api.facts(user, ASK, filter={"and": [{"agent_id": "bot"}, {"app_id": "web"}]})


def wait_for_fact(api: Api, user: str, text: str, seconds: float = LIMIT) -> dict[str, Any]:
    def look() -> list[dict[str, Any]]:
        return [fact for fact in api.listed(user)["memory_detail_list"] if fact["memory_value"] == text]

    return dict(look_until(look, bool, seconds, f"{text} was not remembered")[0])


def test_answers_that_quote_memories_do_not_become_memories(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")
    before = {fact["id"] for fact in api.listed(user)["memory_detail_list"]}
    chat(api, user, "Where do I live?")
    api.add(user, "Thanks!")  # refined behind the turn of the chat

    assert {fact["id"] for fact in api.listed(user)["memory_detail_list"]} == before


def test_a_turn_that_shall_not_be_kept_is_not(api: Api, user: str) -> None:
    chat(api, user, "I live in Porto.", add_message_on_answer=False)
    list(stream(api, user, "I live in Porto.", add_message_on_answer=False))

    assert said(api, user) == []
    assert api.facts(user, ASK, relativity=0) == []


def test_what_may_be_public_is(tenant: Tenant, user: str) -> None:
    with tenant.api() as own:
        chat(own, user, "My dog Rex is a beagle from Porto.", allow_public=True)
        wait_for_fact(own, user, "The user's dog Rex is a beagle from Porto.")

        assert any("Rex" in fact for fact in own.facts(f"{user}-friend", "Rex the beagle from Porto"))


def test_a_repeated_call_under_one_key_is_one_turn(api: Api, user: str) -> None:
    key = {"Idempotency-Key": uuid4().hex}
    answers = [api.call("chat", asked(user, "I live in Porto."), headers=key) for _ in range(2)]

    assert accepted(answers[0]) == accepted(answers[1])
    assert "Idempotent-Replayed" not in answers[0].headers
    assert answers[1].headers["Idempotent-Replayed"] == "true"
    assert len(said(api, user)) == 2
    refused(api.call("chat", asked(user, "I live in Oslo."), headers=key), 40000, "Idempotency-Key")


# Knowledge bases.


@pytest.fixture
def base(developer: Tenant) -> str:
    """A knowledge base without files that the developer's project may read."""
    project = developer.project
    name = f"base{uuid4()}"
    with tenant_scope(project.account):
        cube = MemCube.objects.create(
            account=project.account, project=None, owner_kind=OwnerKind.KNOWLEDGE_BASE, owner_id=name
        )
    with tenant_scope(project):
        CubeGrant.objects.create(account=project.account, project=project, cube=cube)
    return name


def test_a_knowledge_base_that_is_linked_is_searched(api: Api, user: str, base: str) -> None:
    for bases in ([base], ["all"], "all"):
        chat(api, user, knowledgebase_ids=bases)


@pytest.mark.parametrize("options", [{}, {"stream": True}, {"add_message_on_answer": False}])
@pytest.mark.parametrize("field", ["knowledgebase_ids", "allow_knowledgebase_ids"])
def test_a_knowledge_base_of_somebody_else_is_refused(
    api: Api, strangers_api: Api, user: str, base: str, field: str, options: dict[str, Any]
) -> None:
    refused(strangers_api.call("chat", asked(user, **{field: [base]}, **options)), 50123, base)
    refused(api.call("chat", asked(user, **{field: ["nobodys"]}, **options)), 50123, "nobodys")

    assert said(strangers_api, user) == []


# The stream.


def stream(api: Api, user: str, query: str = ASK, **options: Any) -> list[Event]:
    with api.stream("POST", "chat", json=asked(user, query, stream=True, **options)) as answer:
        assert answer.status_code == 200, answer.read()
        return list(iterate_events(answer))


def test_a_stream_says_the_same_and_ends(api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")

    events = stream(api, user, add_message_on_answer=False)

    assert join_text(events) == chat(api, user, add_message_on_answer=False)
    assert events[-1] == Event("end", "")
    assert {event.type for event in events[:-1]} == {"text"}


def test_nothing_on_the_way_keeps_a_stream_back(api: Api, user: str) -> None:
    with api.stream("POST", "chat", json=asked(user, stream=True)) as answer:
        first = next(answer.iter_lines())

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-cache", "no")
    assert "content-length" not in answer.headers
    assert first == ": ping"


def test_the_sdk_reads_a_stream_line_by_line(api: Api, user: str) -> None:
    api.add(user, "我住在杭州。 She said: “one\u2028two”.")

    lines = read_like_the_sdk(api, asked(user, "我住在哪里？", stream=True))

    events = [json.loads(line) for line in lines]
    assert all(set(event) == {"type", "data"} for event in events)
    assert "你住在杭州" in "".join(event["data"] for event in events)
    assert events[-1] == {"type": "end", "data": ""}


def test_a_turn_that_was_streamed_is_kept_before_the_stream_ends(api: Api, user: str) -> None:
    answer = join_text(stream(api, user, "I live in Porto."))

    assert said(api, user) == [("user", "I live in Porto."), ("assistant", answer)]
    assert any("Porto" in fact for fact in api.facts(user, ASK))


@pytest.mark.parametrize(
    ("spoiled", "code"),
    [({"query": ""}, 40002), ({"conversation_id": None}, 40002), ({"model_name": "gpt"}, 40000)],
)
def test_what_is_wrong_with_a_request_is_said_before_the_stream_begins(
    api: Api, user: str, spoiled: dict[str, Any], code: int
) -> None:
    refused(api.call("chat", {**asked(user, stream=True), **spoiled}), code, next(iter(spoiled)))


# What is accepted and refused.


@pytest.mark.parametrize(
    ("path", "body", "named"),
    [
        ("chat", {}, "user_id"),
        ("chat", {"user_id": "kim", "filter": 1}, "conversation_id"),
        ("chat", {"user_id": "kim", "conversation_id": "talk", "app_id": [], "filter": 1}, "query"),
        ("search/memory", {"conversation_id": [], "filter": 1}, "conversation_id"),
        ("search/memory", {"filter": 1, "relativity": "high"}, "query"),
    ],
)
def test_of_several_wrong_fields_the_first_of_the_contract_is_named(
    api: Api, path: str, body: dict[str, Any], named: str
) -> None:
    answer = api.call(path, body).json()

    assert answer["code"] != 0
    assert named in answer["message"]


@pytest.mark.parametrize("name", [None, "qwen3-32b", "deepseek-r1", "qwen2.5-72b-instruct"])
def test_the_models_of_the_contract_may_be_named(api: Api, user: str, name: str | None) -> None:
    chat(api, user, model_name=name, max_tokens=8192, temperature=0.7, top_p="0.95", system_prompt="")


def test_a_query_of_more_than_8000_tokens_is_refused(api: Api, user: str) -> None:
    refused(api.call("chat", asked(user, "tea " * 9_000)), 40305, "8000")
    refused(api.call("chat", asked(user, system_prompt="tea " * 9_000)), 40305, "8000")
    refused(api.call("chat", asked(user, "x" * 200_000)), 40305)
    accepted(api.call("chat", asked(user, "tea " * 6_000)))


def test_more_tokens_than_any_model_says_at_once_are_refused(api: Api, user: str) -> None:
    refused(api.call("chat", asked(user, max_tokens=32_769)), 40302, "max_tokens")


def test_a_key_needs_the_scope_of_chat(api: Api, developer: Tenant, user: str) -> None:
    for scope, may in (("read", False), ("write", False), ("chat", True)):
        key = create_key(developer.project, scope, scopes=(scope,)).plaintext
        with developer.api(key) as other:
            answer = other.call("chat", asked(user))
            if may:
                accepted(answer)
            else:
                refused(answer, 40132, "chat", status=401)


# The log.


def test_the_log_shows_the_steps_of_an_answer(api: Api, developer: Tenant, user: str) -> None:
    answer = api.call("chat", asked(user, "I live in Porto."))

    row = wait_for_log_row(developer.project, answer.headers["X-Request-Id"])
    stages = [step["stage"] for step in row.trace]
    assert (row.endpoint, row.code, row.http_status) == ("chat", 0, 200)
    assert {"history", "search", "model", "store"} <= set(stages)
    model = next(step["note"] for step in row.trace if step["stage"] == "model")
    assert model["model"] == "local-answer-1"
    assert row.subjects == [f"end_user:{user}"]


def test_the_log_shows_a_stream_when_it_is_over(api: Api, developer: Tenant, user: str) -> None:
    with api.stream("POST", "chat", json=asked(user, "I live in Porto.", stream=True)) as answer:
        answer.read()

    row = wait_for_log_row(developer.project, answer.headers["X-Request-Id"])
    assert json.loads(row.response_body)["data"]["response"].startswith("No stored memory")
    assert (row.endpoint, row.code, row.http_status) == ("chat", 0, 200)
    assert {"auth", "search", "model", "store"} <= {step["stage"] for step in row.trace}
    assert row.milliseconds >= sum(step["ms"] for step in row.trace if step["stage"] in {"model", "store"})


def test_the_words_of_a_chat_leave_the_log_with_their_user(api: Api, developer: Tenant, user: str) -> None:
    requests = []
    for options in ({}, {"stream": True}):
        with api.stream("POST", "chat", json=asked(user, "I live in Porto.", **options)) as answer:
            answer.read()
        requests.append(answer.headers["X-Request-Id"])
    rows = [wait_for_log_row(developer.project, request) for request in requests]
    assert all("Porto" in row.request_body for row in rows)

    api.data("delete/memory", {"user_id": user})

    for request in requests:
        assert "Porto" not in wait_for_log_row(developer.project, request).request_body


def test_an_answer_stored_for_a_repeat_goes_with_its_user(api: Api, developer: Tenant, user: str) -> None:
    api.add(user, "I live in Porto.")
    keys = [{"Idempotency-Key": uuid4().hex} for _ in range(2)]
    assert "Porto" in accepted(api.call("chat", asked(user), headers=keys[0]))["response"]
    accepted(api.call("chat", asked(f"{user}-friend", "I live in Oslo."), headers=keys[1]))

    api.data("delete/memory", {"user_id": user})

    with tenant_scope(developer.project):
        kept = StoredAnswer.objects.within(developer.project).get(
            key=compute_digest("idempotency key", keys[0]["Idempotency-Key"])
        )
    assert (kept.body, bytes(kept.body_hash), kept.subjects) == (None, b"", [])
    refused(api.call("chat", asked(user), headers=keys[0]), 40000, "erased")
    assert said(api, user) == []
    again = api.call("chat", asked(f"{user}-friend", "I live in Oslo."), headers=keys[1])
    assert again.headers["Idempotent-Replayed"] == "true"


def test_another_developers_users_are_nobody(api: Api, strangers_api: Api, user: str) -> None:
    api.add(user, "I live in Porto.")

    assert "Porto" not in chat(strangers_api, user, relativity=0)


def test_a_hang_up_right_away_breaks_nothing(api: Api, user: str) -> None:
    for _ in range(5):
        with (
            pytest.raises(httpx.ReadTimeout),
            api.stream("POST", "chat", json=asked(user, stream=True), timeout=0.001) as answer,
        ):
            answer.read()

    assert "No stored memory" in chat(api, f"{user}-2")


# Documents.

POLICY = (
    b"# Software purchases\n\nEvery software purchase needs the approval of the head of department.\n\n"
    b"Licences below 800 euros may be ordered by the team itself. Invoices are kept for ten years.\n"
)


def test_a_document_answers_with_the_sentence_and_its_name(tenant: Tenant, user: str) -> None:
    with tenant.api() as own:
        base = filled_base(own, {"purchasing.md": POLICY})
        ask = "Up to how many euros may a team order software licences itself?"

        without = chat(own, user, ask, add_message_on_answer=False)
        answer = chat(own, user, ask, knowledgebase_ids=[base])

    assert "Licences below 800 euros may be ordered by the team itself. (purchasing.md" in answer
    assert "Invoices" not in answer
    assert "800" not in without
