"""What keys add to their scopes: rotation with an overlap, address ranges, a daily cap; and what stops guessing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.utils import timezone

from tenancy.errors import InvalidParameters, KeyInvalid
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.brute_force import MOST_A_MINUTE
from tenancy.keys.changes import (
    KeyRules,
    change_key,
    end_overlap,
    replace_leaked,
    revoke_all,
    rotate_key,
)
from tenancy.keys.child_keys import issue_by_key
from tenancy.keys.keys import NewKey, create_key, generate_key, recognise_key
from tenancy.keys.restrictions import clean_networks, is_address_allowed
from tenancy.models import ApiKey, AuditEvent, RequestLog
from tenancy.requests.key_calls import select_key_calls
from tests.support.accounts.people import browser, get_owner, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.waiting import LIMIT, wait_until

READ = ("get/memory", {"user_id": "kim"})


@pytest.fixture
def key(tenant: Tenant) -> NewKey:
    return create_key(tenant.project, "backend", created_by=get_owner(tenant))


def answer(tenant: Tenant, plaintext: str, address: str = "") -> httpx.Response:
    """One call; through a proxy that says who is behind it, when an address is given."""
    headers = {"X-Forwarded-For": address} if address else {}
    with tenant.api(plaintext) as api:
        return api.call(*READ, headers=headers)


def stops(tenant: Tenant, plaintext: str) -> bool:
    """Return whether a key is refused, at the latest after the second for which a process may remember it."""
    with suppress(AssertionError):
        wait_until(lambda: answer(tenant, plaintext).status_code == 401, 2)
        return True
    # Where calls take long, the last one may have begun within that second.
    return answer(tenant, plaintext).status_code == 401


def test_both_secrets_work_while_a_rotation_lasts(tenant: Tenant, key: NewKey) -> None:
    new = rotate_key(key.key, timedelta(hours=1), get_owner(tenant))

    assert new.key.pk == key.key.pk
    assert new.plaintext != key.plaintext
    assert [answer(tenant, secret).status_code for secret in (key.plaintext, new.plaintext)] == [200, 200]


def test_the_old_secret_ends_by_itself(tenant: Tenant, key: NewKey) -> None:
    new = rotate_key(key.key, timedelta(seconds=2), get_owner(tenant))
    end = timezone.now() + timedelta(seconds=2)
    assert recognise_key(key.plaintext).pk == key.key.pk

    wait_until(lambda: timezone.now() > end)

    with pytest.raises(KeyInvalid):
        recognise_key(key.plaintext)
    assert answer(tenant, new.plaintext).status_code == 200


def test_a_rotation_can_be_ended_before(tenant: Tenant, key: NewKey) -> None:
    new = rotate_key(key.key, timedelta(days=7), get_owner(tenant))

    end_overlap(new.key, get_owner(tenant))

    assert stops(tenant, key.plaintext)
    assert answer(tenant, new.plaintext).status_code == 200
    with pytest.raises(InvalidParameters):
        end_overlap(new.key, get_owner(tenant))


def test_of_three_secrets_the_first_is_gone(tenant: Tenant, key: NewKey) -> None:
    second = rotate_key(key.key, timedelta(days=1), get_owner(tenant))
    third = rotate_key(second.key, timedelta(days=1), get_owner(tenant))

    assert stops(tenant, key.plaintext)
    assert [answer(tenant, secret).status_code for secret in (second.plaintext, third.plaintext)] == [
        200,
        200,
    ]


def test_a_revoked_key_stops_with_both_secrets(tenant: Tenant, key: NewKey) -> None:
    new = rotate_key(key.key, timedelta(days=1), get_owner(tenant))

    revoke_all(tenant.project, get_owner(tenant))

    assert all(stops(tenant, secret) for secret in (key.plaintext, new.plaintext, tenant.key))


def test_a_range_of_ipv4_addresses_that_is_written_as_ipv6_is_the_same_range(tenant: Tenant) -> None:
    mapped = clean_networks(["::ffff:203.0.113.0/120", "::ffff:198.51.100.7", "203.0.113.0/24"])
    plaintext = create_key(tenant.project, "office", ranges=mapped).plaintext

    assert mapped == ["203.0.113.0/24", "198.51.100.7/32"]
    statuses = [answer(tenant, plaintext, place).status_code for place in ("203.0.113.9", "203.0.114.9")]
    assert statuses == [200, 401]


def test_a_key_works_from_its_ranges_only(tenant: Tenant) -> None:
    rules: dict[str, Any] = {"ranges": ["203.0.113.0/24", "2001:db8::/32"]}
    plaintext = create_key(tenant.project, "office", **rules).plaintext

    inside = [answer(tenant, plaintext, place).status_code for place in ("203.0.113.9", "2001:db8::1")]
    outside = answer(tenant, plaintext, "198.51.100.1")

    assert inside == [200, 200]
    assert (outside.status_code, outside.json()["code"]) == (401, 40103)
    assert "198.51.100.1" in outside.json()["message"]
    assert "range" in outside.headers["X-Engram-Remedy"]


@pytest.mark.parametrize(
    ("address", "ranges", "is_in"),
    [
        ("10.1.2.3", ("10.0.0.0/8",), True),
        ("::ffff:10.1.2.3", ("10.0.0.0/8",), True),
        ("10.1.2.3", ("::ffff:10.0.0.0/104",), True),
        ("11.1.2.3", ("::ffff:10.0.0.0/104",), False),
        ("11.1.2.3", ("10.0.0.0/8", "192.0.2.1/32"), False),
        ("", ("0.0.0.0/0",), False),
        ("nonsense", ("0.0.0.0/0",), False),
    ],
)
def test_an_address_is_within_a_range_or_not(address: str, ranges: tuple[str, ...], is_in: bool) -> None:
    assert is_address_allowed(address, ranges) == is_in


def test_ranges_are_kept_in_one_way_of_writing() -> None:
    assert clean_networks(["10.1.2.3", "10.0.0.7/8", "10.0.0.0/8"]) == ["10.1.2.3/32", "10.0.0.0/8"]
    for wrong in (["10.0.0.0/40"], ["somewhere"], ["10.0.0.0/8"] * 3 + [f"10.{n}.0.0/16" for n in range(20)]):
        with pytest.raises(InvalidParameters):
            clean_networks(wrong)


def test_a_key_makes_as_many_calls_a_day_as_its_cap_says_and_not_one_more(tenant: Tenant) -> None:
    plaintext = create_key(tenant.project, "batch", daily_cap=10).plaintext

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: answer(tenant, plaintext), range(30)))

    codes = [response.json()["code"] for response in answers]
    assert (codes.count(0), codes.count(40304)) == (10, 20)
    refused = next(response for response in answers if response.status_code == 429)
    assert 0 < int(refused.headers["Retry-After"]) <= 24 * 3600


def test_a_key_that_is_made_with_a_secret_that_ends_ends_with_it(tenant: Tenant) -> None:
    maker = create_key(tenant.project, "admin", scopes=("keys", "read"))
    new = rotate_key(maker.key, timedelta(hours=1), get_owner(tenant))

    for secret in (maker.plaintext, new.plaintext):
        shown = {"Authorization": f"Bearer {secret}"}
        wanted = {"name": secret[:8], "scopes": ["read"]}
        made = httpx.post(f"{tenant.url}/api/console/v1/keys", json=wanted, headers=shown, timeout=LIMIT)
        assert made.status_code == 200
    late = {
        "name": "late",
        "scopes": ["read"],
        "expires_at": (timezone.now() + timedelta(days=1)).isoformat(),
    }
    shown = {"Authorization": f"Bearer {maker.plaintext}"}
    refusal = httpx.post(f"{tenant.url}/api/console/v1/keys", json=late, headers=shown, timeout=LIMIT)

    ends = dict(ApiKey.objects.filter(project=tenant.project).values_list("name", "expires_at"))
    old_until = ApiKey.objects.get(pk=maker.key.pk).old_until
    assert (ends[maker.plaintext[:8]], ends[new.plaintext[:8]]) == (old_until, None)
    assert "expires_at: this key itself ends at" in refusal.json()["message"]


def test_the_last_call_of_a_day_is_answered_again(tenant: Tenant) -> None:
    plaintext = create_key(tenant.project, "batch", daily_cap=1).plaintext
    message = {
        "user_id": "kim",
        "conversation_id": "c",
        "messages": [{"role": "user", "content": "I like tea."}],
    }

    with tenant.api(plaintext) as api:
        first, again = (
            api.call("add/message", message, headers={"Idempotency-Key": "last"}) for _ in range(2)
        )
        other = api.call("get/memory", {"user_id": "kim"}, headers={"Idempotency-Key": "last"})

    assert accepted(again)["task_id"] == accepted(first)["task_id"]
    refused(other, 40304, status=429)


def test_a_used_up_key_makes_no_key_under_the_key_of_another_call(tenant: Tenant) -> None:
    maker = create_key(tenant.project, "maker", scopes=("keys", "write"), daily_cap=1)
    message = {"user_id": "kim", "conversation_id": "c", "messages": [{"role": "user", "content": "Tea."}]}
    repeat = {"Idempotency-Key": "last"}

    with tenant.api(maker.plaintext) as api:
        accepted(api.call("add/message", message, headers=repeat))
    shown = repeat | {"Authorization": f"Bearer {maker.plaintext}"}
    keys = f"{tenant.url}/api/console/v1/keys"
    created = httpx.post(keys, json={"name": "child", "scopes": ["write"]}, headers=shown, timeout=LIMIT)
    revoked = httpx.delete(f"{keys}/{maker.key.pk}", headers=shown, timeout=LIMIT)

    assert [created.status_code, revoked.status_code] == [429, 429]
    assert ApiKey.objects.get(pk=maker.key.pk).revoked_at is None
    assert not ApiKey.objects.filter(project=tenant.project, name="child").exists()


def test_a_used_up_key_starts_no_stream_under_the_key_of_another_call(tenant: Tenant) -> None:
    plaintext = create_key(tenant.project, "batch", scopes=("write", "chat"), daily_cap=1).plaintext
    message = {"user_id": "kim", "conversation_id": "c", "messages": [{"role": "user", "content": "Tea."}]}
    repeat = {"Idempotency-Key": "last"}
    chat = {"user_id": "kim", "conversation_id": "c", "query": "What do I drink?", "stream": True}
    completion = {"model": "engram", "messages": message["messages"], "stream": True, "user": "kim"}

    with tenant.api(plaintext) as api:
        accepted(api.call("add/message", message, headers=repeat))
        streams = [
            api.call("chat", chat, headers=repeat),
            api.post(f"{tenant.url}/v1/chat/completions", json=completion, headers=repeat),
        ]

    assert [stream.status_code for stream in streams] == [429, 429]
    assert all("daily" in stream.text or "calls a day" in stream.text for stream in streams)


def test_a_cap_that_is_changed_counts_the_calls_that_were_made_before(tenant: Tenant) -> None:
    new = create_key(tenant.project, "batch", daily_cap=5)
    assert [answer(tenant, new.plaintext).status_code for _ in range(6)] == [200] * 5 + [429]

    change_key(new.key, KeyRules("batch", tuple(new.key.scopes), daily_cap=6), get_owner(tenant))
    wait_until(lambda: answer(tenant, new.plaintext).status_code == 200)
    assert [answer(tenant, new.plaintext).status_code for _ in range(6)] == [429] * 6

    change_key(new.key, KeyRules("batch", tuple(new.key.scopes), daily_cap=4), get_owner(tenant))
    answers = []

    def is_lowered() -> bool:
        answers.append(answer(tenant, new.plaintext))
        return "4 calls a day" in answers[-1].text

    wait_until(is_lowered)
    assert {response.status_code for response in answers} == {429}


def test_what_a_key_may_do_can_be_changed(tenant: Tenant, key: NewKey) -> None:
    change_key(key.key, KeyRules("reader", ("read",)), get_owner(tenant))

    assert answer(tenant, key.plaintext).status_code == 200
    body = {"user_id": "kim", "messages": [{"role": "user", "content": "I like tea."}]}
    with tenant.api(key.plaintext) as api:
        wait_until(lambda: api.call("add/message", body).json()["code"] == 40132)


def test_the_leaked_key_drill_revokes_replaces_and_shows_where(tenant: Tenant) -> None:
    rules: dict[str, Any] = {"scopes": ("read",), "daily_cap": 1_000}
    leaked = create_key(tenant.project, "backend", created_by=get_owner(tenant), **rules)
    for place in ("203.0.113.9", "203.0.113.9", "198.51.100.1"):
        answer(tenant, leaked.plaintext, place)
    wait_until(lambda: count_calls(leaked) == 3)

    with tenant_scope(tenant.project):
        calls = select_key_calls(leaked.key, timedelta(days=7))
        places = {place.address: place.calls for place in calls.list_addresses()}
    successor = replace_leaked(leaked.key, get_owner(tenant))

    assert places == {"203.0.113.9": 2, "198.51.100.1": 1}
    assert stops(tenant, leaked.plaintext)
    assert answer(tenant, successor.plaintext).status_code == 200
    assert KeyRules.of(successor.key) == KeyRules("backend", ("read",), (), 1_000)
    with pytest.raises(InvalidParameters):
        replace_leaked(leaked.key, get_owner(tenant))


def test_a_leaked_key_takes_the_keys_that_were_made_with_it_along(tenant: Tenant, key: NewKey) -> None:
    leaked = create_key(tenant.project, "backend", scopes=("keys", "read"))
    made = issue_by_key(leaked.key, KeyRules("made by a thief", ("read",)))
    assert answer(tenant, made.plaintext).status_code == 200

    successor = replace_leaked(leaked.key, get_owner(tenant))

    assert stops(tenant, made.plaintext)
    assert [answer(tenant, live.plaintext).status_code for live in (successor, key)] == [200, 200]
    with tenant_scope(Scope.of_account(tenant.project.account)):
        events = AuditEvent.objects.within(tenant.project.account).filter(object_id=str(made.key.pk))
        assert [event.action for event in events.order_by("created_at")] == ["key.created", "key.revoked"]


def test_who_ends_a_key_reads_what_becomes_of_the_keys_that_were_made_with_it(tenant: Tenant) -> None:
    leaked = create_key(tenant.project, "backend", created_by=get_owner(tenant), scopes=("keys", "read"))
    for name in ("first", "second"):
        issue_by_key(leaked.key, KeyRules(name, ("read",)))

    assert "The 2 keys that were made with it are revoked too." in dialog_text(tenant, leaked, "leaked")
    assert "The 2 keys that were made with it keep working." in dialog_text(tenant, leaked, "revoke")


def dialog_text(tenant: Tenant, key: NewKey, name: str) -> str:
    page = sign_in_owner(tenant).get(f"/p/{tenant.project.pk}/api-keys/{key.key.pk}/{name}/")
    return " ".join(page.content.decode().split())


def count_calls(key: NewKey) -> int:
    with tenant_scope(key.key.project):
        return RequestLog.objects.within(key.key.project).filter(api_key=key.key).count()


def test_the_last_use_of_a_key_names_address_and_endpoint(tenant: Tenant, key: NewKey) -> None:
    answer(tenant, key.plaintext, "203.0.113.9")

    wait_until(lambda: last_use(key) == ("203.0.113.9", "get/memory"))


def last_use(key: NewKey) -> tuple[str, str]:
    key.key.refresh_from_db()
    return key.key.last_used_address, key.key.last_used_endpoint


@pytest.fixture
def guesser(tenant: Tenant) -> Iterator[Api]:
    """A program at an address of its own that tries keys."""
    with tenant.api(generate_key()) as api:
        api.headers["X-Forwarded-For"] = browser().defaults["REMOTE_ADDR"]
        yield api


def test_anyone_who_guesses_keys_has_to_wait_and_nobody_else(tenant: Tenant, guesser: Api) -> None:
    good = {"Authorization": f"Token {tenant.key}"}
    guesser.call(*READ, headers=good)  # known to the server from then on

    codes = []
    for _ in range(MOST_A_MINUTE + 5):
        codes.append(guesser.call(*READ, headers={"Authorization": f"Token {generate_key()}"}).json()["code"])

    assert codes[:MOST_A_MINUTE] == [40132] * MOST_A_MINUTE
    assert codes[-1] == 40300
    assert guesser.call(*READ, headers=good).status_code == 200
    assert answer(tenant, tenant.key, "203.0.113.77").status_code == 200


def test_a_mistyped_key_is_no_guess(tenant: Tenant, guesser: Api) -> None:
    typo = tenant.key[:-1] + ("A" if tenant.key[-1] != "A" else "B")

    codes = {
        guesser.call(*READ, headers={"Authorization": f"Token {typo}"}).json()["code"]
        for _ in range(MOST_A_MINUTE + 5)
    }

    assert codes == {40132}
