"""Another developer's key gets of every OpenAI-compatible route, for every id, exactly what a made-up id gets."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import pytest

from console.embedded.stack import Stack
from console.interfaces.openai.urls import urlpatterns
from memories.engine.provider_settings import save_own_model
from memories.models import MemCube, Memory, Message
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key, revoke_key
from tenancy.models import Project
from tenancy.projects.model_providers import ProviderInput
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant
from tests.support.servers.file_server import FileServer
from tests.support.servers.model_server import Body, Reply, completion, memories, streamed
from tests.support.servers.own_models import OwnModel
from tests.support.tenants import make_tenant
from tests.support.waiting import wait_until

SECRET = "I live in Porto."
QUESTION = "Where do I live?"
UNKEPT = {"recall": "on", "remember": "off"}
# What differs in each answer: its id and the second in which it was made.
OWN_OF_AN_ANSWER = re.compile(r'"id": ?"chatcmpl-[^"]+"|"created": ?\d+')


@dataclass(frozen=True)
class Ids:
    """One name for the user, the agent and the conversation; a model; a request that may be repeated."""

    name: str
    model: str
    request: str


@dataclass(frozen=True)
class Owner:
    tenant: Tenant
    ids: Ids


@dataclass(frozen=True)
class Ask:
    """`shows` is part of what its owner gets."""

    method: str
    path: str
    body: Body | None = None
    headers: dict[str, str] = field(default_factory=dict)
    shows: str = ""


class Caller(httpx.Client):
    """A program that speaks OpenAI's API, over the raw wire."""

    def __init__(self, tenant: Tenant, key: str = "") -> None:
        super().__init__(
            base_url=tenant.url,
            headers={"Authorization": f"Bearer {key or tenant.key}"},
            timeout=120,
            trust_env=False,
            verify=False,
        )

    def send_ask(self, ask: Ask) -> httpx.Response:
        return self.request(ask.method, ask.path, json=ask.body, headers=ask.headers)


def chat(headers: dict[str, str] | None = None, shows: str = "Porto", **options: Any) -> Ask:
    talk = [{"role": "user", "content": QUESTION}]
    body = {"model": "engram", "messages": talk, "metadata": UNKEPT, **options}
    return Ask("POST", "/v1/chat/completions", body, headers or {}, shows)


def asks(ids: Ids) -> list[Ask]:
    """Every route with every id that it takes, wherever it takes it."""
    name, of_user, model = ids.name, {"user": ids.name}, ids.model
    everything = [{"role": "user", "content": "What do you know about me?"}]
    return [
        chat(**of_user),
        chat(**of_user, stream=True, stream_options={"include_usage": True}),
        chat(**of_user, messages=everything),
        chat(metadata={**UNKEPT, "user_id": name}),
        chat(metadata={**UNKEPT, "agent_id": name}),
        chat(**of_user, metadata={**UNKEPT, "agent_id": name, "conversation_id": name}),
        chat(**of_user, metadata={**UNKEPT, "recall": "off", "conversation_id": name}, shows=""),
        chat({"X-Engram-User": name}),
        chat({"X-Engram-Agent": name}, stream=True),
        chat({"X-Engram-User": name, "X-Engram-Agent": name, "X-Engram-Conversation": name}),
        chat({"Idempotency-Key": ids.request}, **of_user),
        chat(**of_user, model=model, shows="Model of Porto"),
        chat(**of_user, model=model, stream=True, shows="Model of Porto"),
        Ask("GET", "/v1/models", shows=model),
        Ask("GET", f"/v1/models/{model}", shows=model),
        Ask("GET", f"/v1/models/{model}/", shows=model),
        Ask("DELETE", f"/v1/models/{model}"),
        Ask("GET", f"/v1/chat/completions/{ids.request}"),
        Ask("POST", "/v1/responses", {"model": model, "user": name, "input": QUESTION}),
    ]


def scripted(body: Body) -> Reply:
    if "response_format" in body:
        return memories()
    return streamed("Model of ", "Porto.") if body.get("stream") else completion("Model of Porto.")


@pytest.fixture(scope="module")
def owner(stack: Stack, files: FileServer) -> Owner:
    """One who has a memory as a user and as an agent, a conversation, an answer to repeat, and a model of their own."""
    tenant, name = make_tenant(stack), f"kim-{uuid4().hex[:8]}"
    ids = Ids(name, f"lab/model-{uuid4().hex[:8]}", uuid4().hex)
    body = {"conversation_id": name, "messages": [{"role": "user", "content": SECRET}], "async_mode": False}
    with tenant.api() as api, Caller(tenant) as caller:
        api.data("add/message", {**body, "user_id": name})
        api.data("add/message", {**body, "agent_id": name})
        answers = [(ask, caller.send_ask(ask)) for ask in asks(ids) if ask.shows == "Porto"]
        provider = ProviderInput(OwnModel(files, scripted).url, ids.model, key="sk-nothing")
        save_own_model(tenant.project, provider, get_owner(tenant))
        wait_until(lambda: ids.model in caller.get("/v1/models").text)
        answers += [(ask, caller.send_ask(ask)) for ask in asks(ids) if ask.shows != "Porto"]
    for ask, answer in answers:
        text = "".join(re.findall(r'"content": ?"([^"]*)"', answer.text)) if ask.body else answer.text
        assert ask.shows in text, (ask, answer.text)
    return Owner(tenant, ids)


def made_up() -> Ids:
    return Ids(f"kim-{uuid4().hex[:8]}", f"lab/model-{uuid4().hex[:8]}", uuid4().hex)


def without_names(answer: httpx.Response, ids: Ids) -> tuple[int, str, list[str]]:
    """Status, body and names of headers, without the ids that were asked for and those of the answer."""
    text = OWN_OF_AN_ANSWER.sub("", answer.text)
    for name in astuple(ids):
        text = text.replace(name, "?")
    return answer.status_code, text, sorted(answer.headers)


def compare_asks(caller: Caller, owner: Owner) -> None:
    nobodys = made_up()
    for foreign, absent in zip(asks(owner.ids), asks(nobodys), strict=True):
        answer, expected = caller.send_ask(foreign), caller.send_ask(absent)
        assert without_names(answer, owner.ids) == without_names(expected, nobodys), foreign
        assert "Porto" not in answer.text, foreign


def test_what_is_anothers_is_answered_like_what_never_was(owner: Owner, stranger: Tenant) -> None:
    with Caller(stranger) as caller:
        compare_asks(caller, owner)


def test_a_key_of_another_project_of_the_account_reaches_nothing_either(owner: Owner) -> None:
    second = Project.objects.create(account=owner.tenant.project.account, name=uuid4().hex[:8])
    with Caller(owner.tenant, create_key(second, "second").plaintext) as caller:
        compare_asks(caller, owner)


def test_a_key_that_is_none_any_more_is_told_nothing(owner: Owner) -> None:
    made = create_key(owner.tenant.project, "revoked")
    revoke_key(made.key)
    for key in ("mpg-unknown", made.plaintext):
        with Caller(owner.tenant, key) as caller:
            for ask in asks(owner.ids):
                answer = caller.send_ask(ask)
                assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_api_key"), ask


def test_nothing_that_strangers_had_remembered_touched_what_is_the_owners(
    owner: Owner, stranger: Tenant
) -> None:
    before = stored(owner.tenant)
    messages = [{"role": "user", "content": "I live in Oslo."}]
    with Caller(stranger) as caller:
        for ask in asks(owner.ids):
            if ask.body and "metadata" in ask.body and ask.body["model"] == "engram":
                kept = {
                    **ask.body,
                    "metadata": {**ask.body["metadata"], "remember": "on"},
                    "messages": messages,
                }
                caller.post(ask.path, json=kept, headers=ask.headers).raise_for_status()

    wait_until(lambda: any("Oslo" in text for text in stored(stranger)))
    assert stored(owner.tenant) == before
    assert not any("Porto" in text for text in stored(stranger))


def stored(tenant: Tenant) -> list[str]:
    """The texts of all memories and messages of the project."""
    with tenant_scope(tenant.project):
        cubes = MemCube.objects.within(tenant.project)
        texts = [
            *Memory.objects.within(cubes).values_list("text", flat=True),
            *Message.objects.within(tenant.project).values_list("text", flat=True),
        ]
    return sorted(texts)


def test_every_route_is_asked_above() -> None:
    paths = [ask.path.removeprefix("/v1/") for ask in asks(made_up())]
    first = [next(route.name for route in urlpatterns if route.pattern.match(path)) for path in paths]

    assert set(first) == {route.name for route in urlpatterns}
