"""Who may speak to the API, and how its answers are dressed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.utils import timezone

from tenancy.keys.keys import compute_key_checksum, create_key, generate_key, revoke_key
from tenancy.models import ApiKey
from tests.support.accounts.plans import give_plan
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.waiting import LIMIT, let_keys_expire

ASK = {"user_id": "kim", "query": "tea"}
FEEDBACK = {"user_id": "kim", "feedback_content": "I prefer tea."}


def send(url: str, **options: Any) -> httpx.Response:
    return httpx.post(url, trust_env=False, verify=False, **options, timeout=LIMIT)


def ask(api: Api, authorization: str | bytes | None) -> httpx.Response:
    headers = {} if authorization is None else {"Authorization": authorization}
    return send(f"{api.base_url}search/memory", json=ASK, headers=headers)


def make_key(tenant: Tenant, **options: object) -> str:
    return create_key(tenant.project, "extra", **options).plaintext  # type: ignore[arg-type]


@pytest.mark.parametrize("header", [None, ""])
def test_a_request_without_a_key_is_asked_for_one(api: Api, header: str | None) -> None:
    refused(ask(api, header), 40100, status=401)


@pytest.mark.parametrize("shape", ["{key}", "Token", "Basic {key}", "Token: {key}", "Token{key}"])
def test_a_header_of_another_form_is_told_the_right_one(api: Api, developer: Tenant, shape: str) -> None:
    refused(ask(api, shape.format(key=developer.key)), 40130, "Authorization: Token mpg-", status=401)


@pytest.mark.parametrize("scheme", ["Token ", "token ", "TOKEN  ", "Bearer ", "bEARER   ", "Token\t"])
def test_the_scheme_may_be_written_in_any_case_with_any_blanks(
    api: Api, developer: Tenant, scheme: str
) -> None:
    accepted(ask(api, scheme + developer.key))


def wrong_keys() -> list[str]:
    mistyped = generate_key()[:-1] + "!"
    return [
        generate_key(),
        mistyped,
        "mpg-",
        "mpg-é",
        "x" * 5000,
        "mpg-" + "a" * 38,
        f"Token {generate_key()}",
    ]


@pytest.mark.parametrize("key", wrong_keys(), ids=range(len(wrong_keys())))
def test_a_wrong_key_is_invalid_in_one_and_the_same_sentence(api: Api, key: str) -> None:
    answer = ask(api, f"Token {key}".encode())

    assert refused(answer, 40132, status=401) == "Invalid or expired API key"


def test_a_key_tells_by_its_checksum_that_it_was_mistyped(developer: Tenant) -> None:
    assert compute_key_checksum(developer.key[:-6]) == developer.key[-6:]


def test_a_revoked_key_stops_working_within_a_second(api: Api, tenant: Tenant) -> None:
    accepted(ask(api, f"Token {tenant.key}"))

    revoke_key(ApiKey.objects.get(project=tenant.project))
    let_keys_expire()

    refused(ask(api, f"Token {tenant.key}"), 40132, status=401)


def test_an_expired_key_does_not_work(api: Api, developer: Tenant) -> None:
    key = make_key(developer, expires_at=timezone.now() - timedelta(seconds=1))

    refused(ask(api, f"Token {key}"), 40132, status=401)


def test_a_reading_key_reads_and_is_refused_a_write_in_words(developer: Tenant) -> None:
    with developer.api(make_key(developer, scopes=("read",))) as reader:
        accepted(reader.call("search/memory", ASK))
        refused(reader.call("add/feedback", FEEDBACK), 40132, "write", status=401)


def test_a_key_that_may_not_delete_is_refused_a_deletion(developer: Tenant) -> None:
    with developer.api(make_key(developer, scopes=("read", "write"))) as writer:
        refused(writer.call("delete/memory", {"user_id": "kim"}), 40306, "delete")


def test_the_key_is_looked_at_before_the_body(api: Api) -> None:
    answer = send(f"{api.base_url}add/message", content=b"{not json")

    refused(answer, 40100, status=401)


def test_nothing_but_the_key_chooses_the_project(api: Api, stranger: Tenant, user: str) -> None:
    with stranger.api() as strangers_api:
        strangers_api.add(user, "I live in Lisbon.")

    claim = {"user_id": user, "query": "Where?", "relativity": 0, "project_id": stranger.project_id}
    headers = {"X-Project-Id": stranger.project_id}
    answer = accepted(api.call("search/memory", claim, headers=headers, params={"key": stranger.key}))

    assert answer["memory_detail_list"] == []


def test_every_answer_has_an_id_of_its_own_and_is_not_kept_by_caches(api: Api) -> None:
    answers = [api.call("search/memory", ASK), api.call("search/memory", {})]

    ids = {answer.headers["X-Request-Id"] for answer in answers}
    assert len(ids) == 2
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}


@pytest.mark.parametrize("accept", ["*/*", "text/html", "application/xml", "image/png;q=0.1", "nonsense"])
def test_whatever_a_client_accepts_it_gets_json(api: Api, accept: str) -> None:
    answer = api.call("search/memory", ASK, headers={"Accept": accept})

    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    accepted(answer)


def test_a_client_can_test_its_connection(api: Api) -> None:
    for path in ("ping", "ping/"):
        accepted(api.get(path))
        refused(api.get(path, headers={"Authorization": "Token mpg-x"}), 40132, status=401)


def test_too_many_requests_a_second_are_told_when_to_come_back(tenant: Tenant) -> None:
    give_plan(tenant, most_requests_per_second=1)

    with tenant.api() as api:
        answers = [api.get("ping") for _ in range(30)]

    limited = [answer for answer in answers if answer.status_code != 200]
    assert limited
    refused(limited[0], 40300, status=429)
    assert int(limited[0].headers["Retry-After"]) >= 1


def test_too_many_tokens_a_minute_are_refused_and_store_nothing(tenant: Tenant, user: str) -> None:
    give_plan(tenant, tokens_per_minute=100)
    talk = {"user_id": user, "conversation_id": "talk"}

    with tenant.api() as api:
        answer = api.call("add/message", {**talk, "messages": [{"role": "user", "content": "tea " * 150}]})
        stored = api.data("get/message", talk)["message_detail_list"]

    refused(answer, 40309, status=429)
    assert int(answer.headers["Retry-After"]) >= 1
    assert stored == []
