"""API keys: made once, shown once, kept as a hash, gone when they are revoked."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.conf import settings
from django.db import connections
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tenancy.errors import InvalidParameters, KeyInvalid
from tenancy.keys.authorization_header import read_key_from_header
from tenancy.keys.keys import compute_key_checksum, create_key, generate_key, recognise_key, revoke_key
from tenancy.models import ApiKey
from tests.support.api_client import Api, Tenant
from tests.support.knowledge.search_everything import find_places
from tests.support.waiting import LIMIT, let_time_pass, wait_until

READ = ("search/memory", {"user_id": "kim", "query": "where?"})
WRITE = ("add/message", {"user_id": "kim", "messages": [{"role": "user", "content": "I like tea."}]})
DELETE = ("delete/memory", {"user_id": "nobody"})


def code(api: Api, call: tuple[str, dict[str, Any]]) -> int:
    return int(api.call(*call).json()["code"])


def test_a_key_can_be_told_from_noise() -> None:
    for plaintext in [generate_key() for _ in range(200)]:
        assert re.fullmatch(r"mpg-[0-9A-Za-z]{38}", plaintext)
        assert compute_key_checksum(plaintext[:-6]) == plaintext[-6:]
    assert len({generate_key() for _ in range(1000)}) == 1000
    assert compute_key_checksum("mpg-" + "0" * 32) == "40ztTw"


def test_a_mistyped_key_costs_no_query(tenant: Tenant) -> None:
    typo = tenant.key[:-1] + ("A" if tenant.key[-1] != "A" else "B")
    connections.close_all()

    for wrong in [typo, "mpg-" + "x" * 38, "mpg-short", tenant.key + "0", tenant.key.upper(), "", "é" * 42]:
        with pytest.raises(KeyInvalid):
            recognise_key(wrong)

    assert connections["default"].connection is None


def test_the_plaintext_is_nowhere_in_the_database(stack: Stack, tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Berlin.")
    assert tenant.project.name

    secret = tenant.key[8:-4]
    admin = Postgres(DataFolder(stack.path)).admin_url

    assert find_places(admin, secret, tenant.password) == []


def test_what_is_shown_of_a_key_afterwards_does_not_help_to_guess_it(tenant: Tenant) -> None:
    key = tenant.project.api_keys.get()

    assert key.hint == f"{tenant.key[:8]}…{tenant.key[-4:]}"
    assert str(key) == key.hint


def test_a_revoked_key_stops_within_a_second(tenant: Tenant, api: Api) -> None:
    assert code(api, READ) == 0

    revoke_key(tenant.project.api_keys.get())
    revoked = time.monotonic()
    while True:
        began = time.monotonic()
        if code(api, READ) != 0:
            break
        assert began - revoked < 1.2, "a call that began later was answered"

    assert api.call(*READ).status_code == 401
    assert code(api, READ) == 40132


def test_an_expired_key_is_answered_like_one_that_never_was(tenant: Tenant) -> None:
    expired = create_key(tenant.project, "old", expires_at=timezone.now() - timedelta(seconds=1)).plaintext
    answers = []
    for wrong in (expired, generate_key()):
        with tenant.api(wrong) as api:
            answer = api.call(*READ)
            answers.append((answer.status_code, answer.json()))

    assert answers[0] == answers[1]
    assert answers[0][1]["code"] == 40132


def test_a_key_lives_until_it_expires(tenant: Tenant) -> None:
    end = timezone.now() + timedelta(seconds=2)
    short = create_key(tenant.project, "short", expires_at=end).plaintext
    assert recognise_key(short).project_id == tenant.project.pk

    wait_until(lambda: timezone.now() > end)

    with pytest.raises(KeyInvalid):
        recognise_key(short)


@pytest.mark.parametrize(
    ("scope", "read", "write", "delete"),
    [
        ("read", 0, 40132, 40306),
        ("write", 40132, 0, 40306),
        ("delete", 40132, 40132, 40308),
        ("all", 0, 0, 40308),
    ],
)
def test_a_key_does_what_its_scope_says(
    tenant: Tenant, scope: str, read: int, write: int, delete: int
) -> None:
    plaintext = create_key(tenant.project, scope, scopes=(scope,)).plaintext
    with tenant.api(plaintext) as api:
        assert [code(api, call) for call in (READ, WRITE, DELETE)] == [read, write, delete]


def test_a_key_opens_its_own_project_whatever_the_request_names(
    tenant: Tenant, stranger: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Berlin.")
    named = {"project_id": tenant.project_id, "account_id": str(tenant.project.account_id)}

    with stranger.api() as theirs:
        theirs.headers["X-Project-Id"] = tenant.project_id
        answer = theirs.call("search/memory", {"user_id": "kim", "query": "Berlin", **named}).json()

    assert not (answer["data"] or {}).get("memory_detail_list")


def test_both_spellings_of_the_header_work(tenant: Tenant) -> None:
    for header in (f"Token {tenant.key}", f"Bearer {tenant.key}", f"  token   {tenant.key} "):
        assert str(recognise_key(read_key_from_header(header)).project_id) == tenant.project_id


def test_peppers_rotate_without_a_key_being_lost(tenant: Tenant, stranger: Tenant) -> None:
    with override_settings(KEY_PEPPERS=["a new pepper", *settings.KEY_PEPPERS]):
        fresh = create_key(tenant.project, "fresh").plaintext
        assert recognise_key(tenant.key).pk != recognise_key(fresh).pk

    with override_settings(KEY_PEPPERS=["a new pepper"]):
        assert recognise_key(fresh)
        with pytest.raises(KeyInvalid):
            recognise_key(stranger.key)


def test_a_project_has_so_many_keys_and_no_more(tenant: Tenant) -> None:
    for number in range(19):
        create_key(tenant.project, f"key {number}")
    with pytest.raises(InvalidParameters, match="at most 20"):
        create_key(tenant.project, "one too many")

    revoke_key(tenant.project.api_keys.first())
    assert create_key(tenant.project, "again").plaintext


def test_of_many_keys_that_are_created_at_once_as_many_are_as_the_project_may_have(tenant: Tenant) -> None:
    maker = create_key(tenant.project, "maker", scopes=("keys", "read")).plaintext
    for number in range(17):
        create_key(tenant.project, f"key {number}")

    def create(number: int) -> int:
        headers = {"Authorization": f"Bearer {maker}"}
        body = {"name": f"at once {number}", "scopes": ["read"]}
        answer = httpx.post(f"{tenant.url}/api/console/v1/keys", json=body, headers=headers, timeout=LIMIT)
        return answer.status_code

    with ThreadPoolExecutor(8) as at_once:
        answers = list(at_once.map(create, range(8)))

    assert answers.count(200) == 1
    assert tenant.project.api_keys.filter(revoked_at=None).count() == 20


def test_when_a_key_was_used_is_written_off_the_request_path(tenant: Tenant, api: Api) -> None:
    assert code(api, READ) == 0

    wait_until(lambda: ApiKey.objects.get(project=tenant.project).last_used_at is not None)


def test_names_of_keys_may_repeat_but_secrets_never_do(tenant: Tenant) -> None:
    name = uuid4().hex
    twins = [create_key(tenant.project, name) for _ in range(2)]

    assert twins[0].plaintext != twins[1].plaintext
    assert bytes(twins[0].key.digest) != bytes(twins[1].key.digest)


def test_a_key_in_steady_use_is_looked_up_beside_its_requests(tenant: Tenant) -> None:
    recognise_key(tenant.key)
    with CaptureQueriesContext(connections["default"]) as asked:
        use_for(3.5, tenant.key)

    assert len(asked) <= 1  # a busy machine may be late; each second would make three


def test_a_key_in_steady_use_stops_within_a_second_of_its_end(tenant: Tenant) -> None:
    """As in another process, which is told nothing."""
    key = recognise_key(tenant.key)
    ApiKey.objects.filter(pk=key.pk).update(revoked_at=timezone.now())
    ended = time.monotonic()

    assert use_for(LIMIT, tenant.key) - ended < 1.2


def use_for(seconds: float, key: str) -> float:
    """Until then, or until the key is refused. Says when its last use that was not refused began."""
    began = time.monotonic()
    until, last = began + seconds, 0.0
    with suppress(KeyInvalid):
        while began < until:
            recognise_key(key)
            last = began
            let_time_pass(0.05, "a key is used again and again")
            began = time.monotonic()
    return last
