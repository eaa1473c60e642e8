"""A project's own model is asked for its own work, at an address that is a stranger's word."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import LazySettings

from memories import engine
from memories.engine import provider_choice
from memories.engine.client import provider_breaker
from memories.engine.client.http_json import Deadline, Provider
from memories.engine.client.streaming import StreamingProvider, StreamTimeouts
from memories.engine.metering import metering_usage
from memories.engine.protocols import ProviderRefused
from memories.engine.provider_settings import save_own_model, try_own_model
from memories.values import Turn
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.model_usage import sum_model_usage
from tenancy.projects.model_providers import ProviderInput
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.servers.loops import run
from tests.support.servers.model_server import ModelServer, Reply, completion, used
from tests.support.servers.own_provider import KEY, form, list_usage, place

NOW = datetime(2026, 6, 1, tzinfo=UTC)
USAGE = used(12, 3)


def test_a_test_makes_one_small_call_and_says_what_came_back(tenant: Tenant, provider: ModelServer) -> None:
    client = sign_in_owner(tenant)
    client.post(place(tenant.project), form(provider.url))

    page = client.post(place(tenant.project) + "try/").content.decode()

    assert "“tiny-1” answered in" in page
    assert "used 15 tokens" in page
    (asked,) = provider.asked
    assert (asked.path, asked.key, asked.body["model"]) == ("/v1/chat/completions", f"Bearer {KEY}", "tiny-1")
    assert asked.body["max_tokens"] <= 16
    today = next(iter(list_usage(tenant)))
    assert (today.purpose, today.prompt_tokens, today.completion_tokens) == ("trial", 12, 3)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(401), "refused the key"),
        (Reply(404), "does not know this address or model"),
        (Reply(400), "rejected the request"),
        (Reply(503), "is overloaded or has an error"),
        (Reply(302, headers={"Location": "http://169.254.169.254/"}), "no /chat/completions"),
        (Reply(200, b"<html>hello</html>"), "no /chat/completions"),
        (Reply(200, b"{}"), "no /chat/completions"),
    ],
)
def test_what_goes_wrong_is_said_in_words_and_nothing_of_the_answer(
    tenant: Tenant, provider: ModelServer, reply: Reply, words: str
) -> None:
    client = sign_in_owner(tenant)
    client.post(place(tenant.project), form(provider.url))
    provider.answer = lambda _: reply

    page = client.post(place(tenant.project) + "try/").content.decode()

    assert words in page
    assert "hello" not in page
    assert len(provider.asked) <= 2


def test_a_server_that_does_not_answer_is_given_up(
    tenant: Tenant, provider: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memories.engine.provider_settings.TRIAL_SECONDS", 0.3)
    provider.answer = lambda _: Reply(delay=2)
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))

    assert try_own_model(tenant.project).trouble == "timed out"


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/v1",
        "https://10.0.0.1/v1",
        "https://169.254.169.254/latest",
        "https://[::1]/v1",
        "https://[::ffff:127.0.0.1]/v1",
        "https://localhost/v1",
        "https://api.example.com:5432/v1",
    ],
)
def test_addresses_of_the_inside_are_not_reached_and_all_read_alike(tenant: Tenant, address: str) -> None:
    save_own_model(tenant.project, ProviderInput(address, "tiny-1", key=KEY), get_owner(tenant))

    assert try_own_model(tenant.project).trouble == "not reachable"
    provider_choice._kept.clear()
    provider_breaker._breakers.clear()


def test_a_name_that_means_an_inner_address_the_second_time_is_not_reached(
    tenant: Tenant, provider: ModelServer, settings: LazySettings
) -> None:
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))
    settings.FETCH_ALLOW = []

    assert try_own_model(tenant.project).trouble == "not reachable"
    assert provider.asked == []


def test_the_projects_own_model_is_asked_for_its_work_and_for_nobody_elses(
    tenant: Tenant, stranger: Tenant, provider: ModelServer
) -> None:
    save_own_model(
        tenant.project, ProviderInput(provider.url, "tiny-1", ("tiny-2",), key=KEY), get_owner(tenant)
    )
    mine, theirs = Scope.of_project(tenant.project), Scope.of_project(stranger.project)
    turns = [Turn("user", "I live in Lisbon.", NOW)]
    provider.answer = lambda _: completion({"memories": []}, usage=USAGE)

    with metering_usage(mine):
        by_model = engine.extract(turns, [])
    with metering_usage(theirs):
        by_rules = engine.extract(turns, [])

    assert by_model.by.startswith("tiny-1")
    assert by_rules.by.startswith("local-")
    assert {"tiny-1", "tiny-2"} <= set(engine.list_chat_model_names(mine))
    assert "tiny-1" not in engine.list_chat_model_names(theirs)
    assert all(asked.key == f"Bearer {KEY}" for asked in provider.asked)
    day = list_usage(tenant)[0]
    assert (day.purpose, day.model, day.prompt_tokens) == ("extraction", "tiny-1", 12)
    assert list_usage(stranger) == []


def test_while_it_fails_the_rules_work_and_the_memory_says_why(tenant: Tenant, provider: ModelServer) -> None:
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))
    provider.answer = lambda _: Reply(401)

    with metering_usage(Scope.of_project(tenant.project)):
        extraction = engine.extract([Turn("user", "I live in Lisbon.", NOW)], [])

    assert "(remote: refused with 401)" in extraction.by
    assert "Lisbon" in extraction.drafts[0].text


def test_one_projects_failing_provider_rests_for_that_project_alone(
    tenant: Tenant, stranger: Tenant, provider: ModelServer
) -> None:
    for each_tenant in (tenant, stranger):
        save_own_model(
            each_tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(each_tenant)
        )
    provider.answer = lambda _: Reply(503)
    for _ in range(provider_breaker.FAILURES):
        try_own_model(tenant.project)
    provider.answer = lambda _: completion("ready", usage=USAGE)

    assert try_own_model(tenant.project).trouble == "paused after failures"
    assert try_own_model(stranger.project).trouble == ""
    assert (
        provider_breaker.list_providers_with_open_breaker() == []
    )  # of the installation's own there is none


def test_tokens_of_an_account_name_the_model_of_the_project(tenant: Tenant, provider: ModelServer) -> None:
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))
    try_own_model(tenant.project)

    from tenancy.requests.partitions import get_today

    with tenant_scope(tenant.project.account):
        usage = sum_model_usage(tenant.project.account, get_today(), get_today())
    assert [(row.model, row.calls) for row in usage] == [("tiny-1", 1)]


BOMB = {"Content-Encoding": "gzip, gzip"}


def heard_from(provider: ModelServer, owner: str) -> list[Any]:
    async def listen() -> list[Any]:
        asked = StreamingProvider(provider.url, KEY, owner)
        return [delta async for delta in asked.stream("/chat/completions", {}, StreamTimeouts())]

    return run(listen())


def test_an_answer_that_would_unpack_to_gigabytes_is_not_unpacked(
    tenant: Tenant, provider: ModelServer
) -> None:
    bomb = gzip.compress(gzip.compress(bytes(50 * 2**20)))
    provider.answer = lambda _: Reply(200, bomb, BOMB)
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))

    assert try_own_model(tenant.project).trouble == "answered in an encoding that was not asked for"
    for kind in ("application/json", "text/event-stream"):
        provider.answer = lambda _, kind=kind: Reply(200, bomb, BOMB | {"Content-Type": kind})  # type: ignore[misc]
        with pytest.raises(ProviderRefused, match="an encoding"):
            heard_from(provider, str(tenant.project_id))


def test_an_answer_that_is_longer_than_any_completion_is_refused(
    tenant: Tenant, provider: ModelServer
) -> None:
    provider.answer = lambda _: Reply(200, b"[" + b"[]," * (2 * 2**20) + b"0]")
    save_own_model(tenant.project, ProviderInput(provider.url, "tiny-1", key=KEY), get_owner(tenant))

    assert try_own_model(tenant.project).trouble == "answer too large"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://☃.example.com/v1", "k"),
        ("https://api.exa\tmple.com", "k"),
        ("https://example.com", "sk-…abcd"),
    ],
)
def test_an_address_or_key_that_cannot_be_sent_is_a_refusal_in_words(address: str, key: str) -> None:
    async def listen() -> None:
        async for _ in StreamingProvider(address, key, "p").stream("/chat/completions", {}, StreamTimeouts()):
            pass

    with pytest.raises(ProviderRefused, match="address or key not usable"):
        Provider(address, key, "p").post("/chat/completions", {}, Deadline.after(5))
    with pytest.raises(ProviderRefused, match="address or key not usable"):
        run(listen())


def test_of_providers_that_nobody_asks_any_more_nothing_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(provider_breaker, "_breakers", OrderedDict())
    monkeypatch.setattr(provider_breaker, "MOST_REMEMBERED", 3)
    often = provider_breaker.get_breaker("https://often.example.com", "")

    for number in range(10):
        provider_breaker.get_breaker("https://api.example.com", "k", f"project {number}")
        assert provider_breaker.get_breaker("https://often.example.com", "") is often

    assert len(provider_breaker._breakers) == 3
