"""Programs that use OpenAI's client, pointed at Engram: without a model, and with one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI

from console.embedded.stack import Stack
from memories.engine.provider_settings import save_own_model
from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.meters import Meter
from tenancy.models import RequestLog
from tenancy.projects.model_providers import ProviderInput
from tests.support.accounts.people import get_owner
from tests.support.accounts.plans import standing
from tests.support.api_client import Api, Tenant
from tests.support.installations import model_at, own_web
from tests.support.servers.model_server import Body, ModelServer, Reply, memories, streamed, used
from tests.support.waiting import look_until, wait_until

QUESTION = "Where do I live?"


def connect_openai(url: str, key: str, **options: Any) -> OpenAI:
    http = httpx.Client(trust_env=False, verify=False, timeout=120)
    return OpenAI(api_key=key, base_url=f"{url}/v1", http_client=http, max_retries=0, **options)


@pytest.fixture
def client(tenant: Tenant) -> Iterator[OpenAI]:
    with connect_openai(tenant.url, tenant.key) as client:
        yield client


def ask(client: OpenAI, *texts: str, **options: Any) -> Any:
    messages: Any = [
        {"role": "assistant" if at % 2 else "user", "content": text}
        for at, text in enumerate(texts or (QUESTION,))
    ]
    options = {"model": "engram", "user": "kim"} | options
    return client.chat.completions.create(messages=messages, **options)


def test_without_a_model_the_answer_comes_from_the_memories(client: OpenAI, api: Api) -> None:
    """Whole or streamed, for a question that is one text or parts of one."""
    api.add("kim", "I live in Porto.")

    answer = ask(client)

    assert "Porto" in answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert answer.object == "chat.completion"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens

    chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))

    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "Porto" in text
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1

    parts: Any = [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}]
    of_parts = client.chat.completions.create(model="engram", messages=parts, user="kim")
    assert "Porto" in str(of_parts.choices[0].message.content)


def test_an_answer_that_took_all_its_tokens_says_so(client: OpenAI, api: Api) -> None:
    api.add("kim", "I live in Porto, I work as a harbour pilot, and I have a dog called Bo.")
    for tokens in ("max_tokens", "max_completion_tokens"):
        few: Any = {tokens: 16, "metadata": {"remember": "off"}}

        whole = ask(client, "What do you know about me?", **few)
        chunks = list(ask(client, "What do you know about me?", stream=True, **few))

        assert whole.choices[0].finish_reason == "length"
        assert chunks[-1].choices[0].finish_reason == "length"


def test_what_the_user_says_is_remembered(client: OpenAI, api: Api) -> None:
    ask(client, "I keep bees on the roof of a school in Ghent.")

    wait_until(lambda: any("bees" in fact for fact in api.facts("kim", "What does the user keep?")))


@pytest.mark.parametrize(
    "options",
    [{"metadata": {"remember": "off"}}, {"extra_headers": {"X-Engram-Remember": "off"}}],
)
def test_a_conversation_can_be_kept_out_of_memory(client: OpenAI, api: Api, options: dict[str, Any]) -> None:
    ask(client, "I keep bees in Ghent.", **options)

    answer = api.data("get/memory", {"user_id": "kim"})
    assert answer["memory_detail_list"] == []


def test_recall_can_be_switched_off(client: OpenAI, api: Api) -> None:
    api.add("kim", "I live in Porto.")

    answer = ask(client, metadata={"recall": "off", "remember": "off"})

    assert "Porto" not in answer.choices[0].message.content


def test_headers_name_whose_conversation_it_is(client: OpenAI, api: Api) -> None:
    headers = {"X-Engram-User": "lee", "X-Engram-Conversation": "talk-7"}

    ask(client, "I live in Oslo.", user="kim", metadata={"user_id": "max"}, extra_headers=headers)

    answer = api.data("get/message", {"user_id": "lee", "conversation_id": "talk-7"})
    assert answer["message_detail_list"][0]["content"] == "I live in Oslo."


def test_without_an_id_a_conversation_that_goes_on_is_the_same(client: OpenAI, tenant: Tenant) -> None:
    from memories.models import Conversation

    ask(client, "Hello, I am Kim.")
    ask(client, "Hello, I am Kim.", "Hello Kim.", "I live in Oslo.")

    with tenant_scope(tenant.project):
        assert Conversation.objects.within(tenant.project).count() == 1


def test_models_are_listed(client: OpenAI) -> None:
    names = [model.id for model in client.models.list()]

    assert names[0] == "engram"
    assert client.models.retrieve("engram").id == "engram"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("nothing-of-the-kind")


def test_a_model_with_a_slash_in_its_name_is_found_by_it(client: OpenAI, tenant: Tenant) -> None:
    provider = ProviderInput("https://models.example.org/v1", "lab/large", key="sk-nothing")
    save_own_model(tenant.project, provider, get_owner(tenant))

    wait_until(lambda: "lab/large" in [model.id for model in client.models.list()])

    assert client.models.retrieve("lab/large").id == "lab/large"
    with pytest.raises(openai.NotFoundError) as refused:
        client.models.retrieve("lab/small")
    assert "Unknown model" in str(refused.value)


def test_an_unknown_model_is_named(client: OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        ask(client, model="gpt-nothing")

    assert refused.value.code == "model_not_found"
    assert "gpt-nothing" in str(refused.value)


def test_a_wrong_key_is_refused_as_openai_does(tenant: Tenant) -> None:
    with (
        connect_openai(tenant.url, "mpg-wrong") as client,
        pytest.raises(openai.AuthenticationError) as refused,
    ):
        ask(client)

    assert refused.value.code == "invalid_api_key"


def test_a_key_without_the_scope_is_refused(tenant: Tenant) -> None:
    from tenancy.keys.keys import create_key

    key = create_key(tenant.project, "read only", scopes=("read",)).plaintext
    with connect_openai(tenant.url, key) as client, pytest.raises(openai.AuthenticationError) as refused:
        ask(client)

    assert "chat scope" in str(refused.value)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"n": 2}, "n"),
    ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
    ({"response_format": {"type": "json_object"}}, "response_format"),
    ({"logprobs": True}, "logprobs"),
    ({"stop": ["x"]}, "stop"),
    ({"temperature": 3}, "temperature"),
    ({"max_tokens": 0}, "max_tokens"),
    ({"user": "k" * 101}, "user"),
    ({"metadata": {"recall": "perhaps"}}, "metadata.recall"),
    ({"user": openai.NOT_GIVEN}, "user"),
]


def test_what_is_not_done_is_refused_by_its_name(client: OpenAI) -> None:
    for options, named in REFUSED:
        with pytest.raises(openai.BadRequestError) as refused:
            ask(client, **options)

        assert named in str(refused.value)
        assert refused.value.param == named


UNANSWERABLE: list[Any] = [
    [],
    "x",
    [{"role": "user"}],
    [{"role": "user", "content": " "}],
    [{"role": "system", "content": "x"}],
    [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}],
    [{"role": "tool", "content": "x", "tool_call_id": "1"}],
    [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/y.png"}}]}],
    [1],
    [{"role": "user", "content": 7}],
]


def test_messages_that_cannot_be_answered_are_refused(tenant: Tenant) -> None:
    header = {"Authorization": f"Bearer {tenant.key}"}
    with httpx.Client(base_url=tenant.url, headers=header, trust_env=False, verify=False, timeout=120) as web:
        for messages in UNANSWERABLE:
            sent = {"model": "engram", "user": "kim", "messages": messages}
            answer = web.post("/v1/chat/completions", json=sent)

            assert answer.status_code == 400, messages
            error = answer.json()["error"]
            assert error["message"]
            assert error["param"].partition("[")[0] == "messages", messages


@pytest.mark.parametrize("path", ["/v1/", "/v1/embeddings", "/v1/chat", "/v1/memories-of-nobody"])
def test_unknown_addresses_answer_what_both_kinds_of_clients_can_read(tenant: Tenant, path: str) -> None:
    answer = httpx.post(
        f"{tenant.url}{path}",
        json={},
        headers={"Authorization": f"Token {tenant.key}"},
        trust_env=False,
        verify=False,
        timeout=120,
    )

    assert answer.status_code == 404
    assert isinstance(answer.json()["detail"], str)


def test_nothing_of_another_tenant_is_recalled(client: OpenAI, strangers_api: Api) -> None:
    strangers_api.add("kim", "I live in Porto.")

    assert "Porto" not in ask(client).choices[0].message.content


def test_calls_stand_in_the_request_log_under_their_own_name(client: OpenAI, tenant: Tenant) -> None:
    ask(client)

    def logged() -> list[tuple[str, str]]:
        with tenant_scope(tenant.project):
            return list(RequestLog.objects.within(tenant.project).values_list("endpoint", "subject_id"))

    wait_until(lambda: ("openai/chat/completions", "kim") in logged())


def test_streams_that_the_client_leaves_at_their_end_are_logged_and_paid_for(
    client: OpenAI, tenant: Tenant
) -> None:
    requests = []
    for _ in range(5):
        chunks = ask(client, stream=True)  # the client hangs up as soon as it has read `[DONE]`
        assert [chunk.choices[0].finish_reason for chunk in chunks][-1] == "stop"
        requests.append(chunks.response.headers["X-Request-Id"])

    look_until(lambda: list_unlogged(tenant, requests), lambda missing: not missing, seconds=60)
    assert standing(tenant, Meter.CHAT).used == len(requests)
    assert standing(tenant, Meter.CHAT_OUTPUT).used > 0
    assert {standing(tenant, meter).held for meter in (Meter.CHAT, Meter.CHAT_OUTPUT)} == {0}


def list_unlogged(tenant: Tenant, requests: list[str]) -> list[str]:
    with tenant_scope(tenant.project):
        rows = RequestLog.objects.within(tenant.project).filter(request_id__in=requests)
        logged = set(rows.values_list("request_id", flat=True))
    return [request for request in requests if request not in logged]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    running = ModelServer()
    yield running
    running.close()


@pytest.fixture(scope="module")
def own(stack: Stack, server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("openai")
    with own_web(stack, folder, **model_at(server.url), LLM_CHAT_MODELS="scripted-large") as web:
        yield web


def chats(server: ModelServer) -> list[Body]:
    return [body for body in server.bodies if "response_format" not in body]


def test_a_model_gets_the_conversation_as_the_client_sent_it(own: Stack, server: ModelServer) -> None:
    def answer(body: Body) -> Reply:
        return (
            memories()
            if "response_format" in body
            else streamed("Porto, ", "by the river.", usage=used(9, 4))
        )

    server.answer = answer
    with connect_openai(own.url, own.demo["api_key"]) as client:
        whole = client.chat.completions.create(
            model="engram",
            user="kim",
            messages=[
                {"role": "system", "content": "Answer like a sailor."},
                {"role": "user", "content": "Ahoy."},
                {"role": "assistant", "content": "Ahoy yourself."},
                {"role": "user", "content": QUESTION},
            ],
        )
        pieces = list(ask(client, model="scripted-large", stream=True))

    asked = chats(server)
    first = next(body for body in asked if "sailor" in body["messages"][0]["content"])
    second = next(body for body in asked if body["model"] == "scripted-large")
    assert whole.choices[0].message.content == "Porto, by the river."
    assert [piece.choices[0].delta.content for piece in pieces][:2] == ["Porto, ", "by the river."]
    assert second["messages"][-1]["content"].endswith(QUESTION)
    assert "Answer like a sailor." in first["messages"][0]["content"]
    # What is the same in the next request comes first; what was recalled stands in the last message.
    assert [message["content"] for message in first["messages"][1:3]] == ["Ahoy.", "Ahoy yourself."]
    assert first["messages"][-1]["content"].endswith(QUESTION)


def test_where_the_model_fails_the_answer_says_that_it_is_from_memories(
    own: Stack, server: ModelServer
) -> None:
    server.answer = lambda body: Reply(500, b"{}")
    with connect_openai(own.url, own.demo["api_key"]) as client:
        answer = ask(client)

    assert "memor" in answer.choices[0].message.content.splitlines()[0]
