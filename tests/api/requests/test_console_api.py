"""Programs manage keys and read usage and request logs of their own project, with a scope for each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.utils import timezone

from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import create_key
from tenancy.keys.lifetime import is_live
from tenancy.models import ApiKey, AuditEvent, Project
from tests.support.api_client import Tenant
from tests.support.expect import UNKNOWN_ID
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import look_until, wait_until

Console = Callable[..., httpx.Client]


@pytest.fixture
def console(tenant: Tenant, request: pytest.FixtureRequest) -> Console:
    """A client with a new key of these scopes."""

    def connect(
        *scopes: str, of: Tenant = tenant, project: Project | None = None, **limits: Any
    ) -> httpx.Client:
        key = create_key(project or of.project, "admin", scopes=scopes, **limits).plaintext
        client = httpx.Client(
            base_url=f"{of.url}/api/console/v1/",
            headers={"Authorization": f"Bearer {key}"},
            timeout=120,
            trust_env=False,
        )
        request.addfinalizer(client.close)
        return client

    return connect


def data(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def refused(answer: httpx.Response) -> tuple[int, int, str]:
    body = answer.json()
    assert body["data"] is None
    return answer.status_code, body["code"], body["message"]


def own_key(tenant: Tenant) -> str:
    """The id of the key that came with the project."""
    return str(ApiKey.objects.get(project=tenant.project, last_four=tenant.key[-4:]).pk)


ALL = [
    ("GET", "keys"),
    ("POST", "keys"),
    ("DELETE", f"keys/{UNKNOWN_ID}"),
    ("GET", "usage"),
    ("GET", "logs"),
    ("GET", "logs/x"),
]


@pytest.mark.parametrize(("method", "path"), ALL)
def test_a_key_for_everything_with_memories_manages_nothing(console: Console, method: str, path: str) -> None:
    answer = console("all").request(method, path, json={"name": "n", "scopes": ["read"]})

    scope = path.partition("/")[0]
    assert refused(answer) == (401, 40132, f"This API key may not do that: it has no {scope} scope")


def test_a_key_is_created_used_listed_and_revoked(console: Console, tenant: Tenant) -> None:
    admin = console("keys", "read")

    created = data(
        admin.post("keys", json={"name": "batch", "scopes": ["read"], "ranges": [], "daily_cap": 9})
    )

    key = created["key"]
    with tenant.api(created["api_key"]) as api:
        assert api.listed("kim")["total"] == 0
        assert api.call("delete/memory", {"user_id": "kim"}).json()["code"] != 0
    listed = {row["id"]: row for row in data(admin.get("keys"))["keys"]}
    assert listed[key["id"]]["state"] == "active"
    assert [row["is_this_key"] for row in listed.values()].count(True) == 1
    assert created["api_key"] not in admin.get("keys").text
    assert data(admin.delete(f"keys/{key['id']}")) == {"success": True}
    with tenant.api(created["api_key"]) as api:
        wait_until(lambda: api.call("get/memory", {"user_id": "kim"}).status_code == 401)
    assert key["id"] not in admin.get("keys").text
    ended = data(admin.get("keys", params={"include_ended": "true"}))["keys"]
    assert {row["id"]: row["state"] for row in ended}[key["id"]] == "revoked"
    assert refused(admin.delete(f"keys/{key['id']}"))[:2] == (400, 40001)


def test_what_a_key_does_with_keys_is_in_the_audit_log_under_its_own_id(
    console: Console, tenant: Tenant
) -> None:
    admin = console("keys", "read")
    key = data(admin.post("keys", json={"name": "batch", "scopes": ["read"]}))["key"]
    admin.delete(f"keys/{key['id']}")

    with tenant_scope(Scope.of_account(tenant.project.account)):
        events = AuditEvent.objects.within(tenant.project.account).filter(object_id=key["id"])
        actors = {event.action: (event.actor_kind, event.actor_label) for event in events}
    own = str(ApiKey.objects.get(project=tenant.project, name="admin").pk)
    assert actors == {"key.created": ("key", own), "key.revoked": ("key", own)}


def test_a_new_key_stands_in_one_answer_and_nowhere_else(console: Console, tenant: Tenant) -> None:
    answer = console("keys", "read").post("keys", json={"name": "batch", "scopes": ["read"]})

    secret = data(answer)["api_key"]
    row = wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])
    assert row.endpoint == "console/keys"
    assert "•••" in row.response_body
    assert secret not in row.response_body + row.request_body


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        (("keys", "read"), ["write"]),
        (("keys", "read"), ["all"]),
        (("keys", "all"), ["usage"]),
        (("keys", "all"), ["keys"]),
        (("keys",), ["read"]),
        (("keys", "logs"), ["logs", "delete"]),
    ],
)
def test_a_key_gives_no_more_than_it_has(console: Console, own: tuple[str, ...], wanted: list[str]) -> None:
    answer = console(*own).post("keys", json={"name": "more", "scopes": wanted})

    assert refused(answer)[:2] == (400, 40000)
    assert "scopes" in answer.text


@pytest.mark.parametrize("wanted", [["read"], ["all"], ["read", "delete", "usage"]])
def test_a_key_gives_what_it_has(console: Console, wanted: list[str]) -> None:
    created = data(console("keys", "all", "usage").post("keys", json={"name": "same", "scopes": wanted}))

    assert created["key"]["scopes"] == wanted


def test_limits_of_a_key_hold_for_the_keys_it_makes(console: Console) -> None:
    ends = timezone.now() + timedelta(days=2)
    admin = console("keys", "read", expires_at=ends, daily_cap=50, ranges=["127.0.0.0/8", "::/0"])

    same = data(admin.post("keys", json={"name": "same", "scopes": ["read"]}))["key"]
    less = data(
        admin.post("keys", json={"name": "less", "scopes": ["read"], "daily_cap": 5, "ranges": ["127.0.0.1"]})
    )["key"]

    assert (same["daily_cap"], same["ranges"]) == (50, ["127.0.0.0/8", "::/0"])
    assert datetime.fromisoformat(same["expires_at"]) == ends
    assert (less["daily_cap"], less["ranges"]) == (5, ["127.0.0.1/32"])
    for more in (
        {"daily_cap": 51},
        {"ranges": ["10.0.0.0/8"]},
        {"expires_at": (ends + timedelta(hours=1)).isoformat()},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "tomorrow"},
        {"ranges": ["nowhere"]},
        {"lasts": 5},
    ):
        answer = admin.post("keys", json={"name": "more", "scopes": ["read"], **more})
        assert refused(answer)[:2] == (400, 40000), answer.text
        assert next(iter(more)) in answer.text or "outside of this key's own" in answer.text


def test_keys_made_with_a_key_share_its_daily_cap(console: Console, tenant: Tenant) -> None:
    admin = console("keys", "read", daily_cap=5)
    secrets = [
        data(admin.post("keys", json={"name": name, "scopes": ["read"], "daily_cap": 4}))["api_key"]
        for name in ("first", "second")
    ]

    answers = []
    for secret in [secrets[0]] * 2 + [secrets[1]] * 2:
        with tenant.api(secret) as api:
            answers.append(api.call("get/memory", {"user_id": "kim"}))

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert "the one it was made with may make 5 calls a day together" in answers[-1].text
    assert admin.get("keys").status_code == 429


def test_usage_counts_calls_of_the_project_by_api_day_and_key(console: Console, tenant: Tenant) -> None:
    with tenant.api() as api:
        api.search("kim", "Where?")
        api.search("kim", "When?")
        api.add("kim", "I live in Porto.")
    reader = console("usage")

    def used() -> dict[str, int]:
        return {row["api"]: row["used"] for row in data(reader.get("usage"))["rows"]}

    counts = look_until(used, lambda rows: rows.get("add/message") == 1, otherwise="usage")
    assert counts["search/memory"] == 2
    today = datetime.now(UTC).date().isoformat()
    by_day = data(reader.get("usage", params={"group_by": "day", "first_day": today}))["rows"]
    assert {row["day"] for row in by_day} == {today}
    by_key = data(reader.get("usage", params={"group_by": "key"}))["rows"]
    own = own_key(tenant)
    assert {row["used"] for row in by_key if (row["api"], row["key_id"]) == ("search/memory", own)} == {2}
    quota = {row["api"]: row for row in data(reader.get("usage"))["quotas"]}["search/memory"]
    assert quota["used"] >= 2
    last_year = data(reader.get("usage", params={"first_day": "2024-01-01", "last_day": "2024-02-01"}))
    assert last_year["rows"] == []


@pytest.mark.parametrize(
    "params",
    [
        {"group_by": "user"},
        {"first_day": "2026-13-01"},
        {"first_day": "2026-02-02", "last_day": "2026-02-01"},
        {"first_day": "2020-01-01", "last_day": "2026-02-01"},
        {"key_id": "nope"},
        {"days": "7"},
    ],
)
def test_usage_that_cannot_be_meant_is_refused_by_name(console: Console, params: dict[str, str]) -> None:
    answer = console("usage").get("usage", params=params)

    assert refused(answer)[:2] == (400, 40000)
    assert next(iter(params)) in answer.text


def searches(tenant: Tenant, *queries: str, user: str = "kim") -> list[str]:
    """Ids of logged requests, in their order."""
    with tenant.api() as api:
        ids = [
            api.call("search/memory", {"user_id": user, "query": query}).headers["X-Request-Id"]
            for query in queries
        ]
    for request_id in ids:
        wait_for_log_row(tenant.project, request_id)
    return ids


def list_request_ids(page: Any) -> list[str]:
    return [entry["request_id"] for entry in page["entries"]]


def test_the_log_is_read_page_by_page_newest_first(console: Console, tenant: Tenant) -> None:
    ids = searches(tenant, *"abcde")
    reader, request_ids, cursor = console("logs"), list[str](), None

    while True:
        page = data(reader.get("logs", params={"limit": 2, **({"cursor": cursor} if cursor else {})}))
        request_ids += list_request_ids(page)
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert [request_id for request_id in request_ids if request_id in ids] == ids[::-1]
    assert len(request_ids) == len(set(request_ids))
    assert "request_body" not in page["entries"][0]


def test_the_log_is_followed_without_losing_or_repeating(console: Console, tenant: Tenant) -> None:
    reader = console("logs")
    before = searches(tenant, "before")
    after = data(reader.get("logs"))["after"]
    ids = searches(tenant, *"abcd")
    request_ids: list[str] = []

    def look() -> list[str]:
        nonlocal after
        page = data(reader.get("logs", params={"after": after, "limit": 2}))
        after = page["after"]
        request_ids.extend(list_request_ids(page))
        return request_ids

    look_until(look, lambda seen: set(ids) <= set(seen), otherwise="the requests since")
    assert [request_id for request_id in request_ids if request_id not in before] == ids


def test_the_log_is_filtered(console: Console, tenant: Tenant) -> None:
    about_kim, about_lee = searches(tenant, "a"), searches(tenant, "b", user="lee")
    with tenant.api() as api:
        wrong = api.call("search/memory", {"user_id": "kim"}).headers["X-Request-Id"]
    wait_for_log_row(tenant.project, wrong)
    reader = console("logs")

    def found(**params: str) -> set[str]:
        return set(list_request_ids(data(reader.get("logs", params=params))))

    assert found(user_id="lee") == set(about_lee)
    assert found(outcome="refused", endpoint="search/memory") == {wrong}
    assert found(outcome="ok", endpoint="search/memory") == {*about_kim, *about_lee}
    assert found(until="2020-01-01T00:00:00Z") == set()
    assert found(since="2020-01-01T00:00:00+02:00", endpoint="search/memory") == {
        *about_kim,
        *about_lee,
        wrong,
    }
    assert found(agent_id="kim") == set()


def test_reading_the_log_is_logged_but_not_shown_to_its_reader(console: Console, tenant: Tenant) -> None:
    reader = console("logs")
    looked = reader.get("logs").headers["X-Request-Id"]
    row = wait_for_log_row(tenant.project, looked)

    assert (row.endpoint, row.response_body) == ("console/logs", "")
    assert looked not in list_request_ids(data(reader.get("logs")))
    assert looked in list_request_ids(data(reader.get("logs", params={"endpoint": "console/logs"})))


def test_one_request_is_read_whole(console: Console, tenant: Tenant) -> None:
    (request_id,) = searches(tenant, "Where does Kim live?")

    entry = data(console("logs").get(f"logs/{request_id}"))

    assert "Where does Kim live?" in entry["request_body"]
    assert entry["subjects"] == ["end_user:kim"]
    assert "auth" in [stage["stage"] for stage in entry["trace"]]


@pytest.mark.parametrize(
    "params",
    [
        {"outcome": "good"},
        {"limit": "0"},
        {"limit": "201"},
        {"since": "yesterday"},
        {"since": "2026-01-01T00:00:00"},
        {"cursor": "x"},
        {"cursor": f"0001-01-01T00:00:00+14:00_{UNKNOWN_ID}"},
        {"after": f"2026-01-01T00:00:00_{UNKNOWN_ID}"},
        {"user_id": "x" * 101},
        {"user_id": "a\0"},
        {"endpoint": "\0"},
        {"query": "x"},
    ],
)
def test_a_log_that_cannot_be_meant_is_refused_by_name(console: Console, params: dict[str, str]) -> None:
    answer = console("logs").get("logs", params=params)

    assert refused(answer)[:2] == (400, 40000), answer.text
    assert next(iter(params)) in answer.text


def test_an_id_that_no_request_has_is_not_found(console: Console) -> None:
    client = console("logs")

    assert refused(client.get("logs/%00")) == refused(client.get("logs/x"))


def test_another_developers_key_finds_and_changes_nothing(
    console: Console, tenant: Tenant, stranger: Tenant
) -> None:
    (request_id,) = searches(tenant, "secret question")
    key_id = own_key(tenant)
    second = Project.objects.create(account=tenant.project.account, name="second")
    scopes = ("keys", "usage", "logs", "all")

    for other in (console(*scopes, of=stranger), console(*scopes, project=second)):
        asks = [
            ("DELETE", "keys/{}", key_id, str(uuid4())),
            ("GET", "logs/{}", request_id, uuid4().hex),
            ("GET", "usage?key_id={}", key_id, str(uuid4())),
        ]
        for method, path, theirs, made_up in asks:
            answers = [other.request(method, path.format(identifier)) for identifier in (theirs, made_up)]
            assert answers[0].status_code == answers[1].status_code
            if method == "GET" and "usage" in path:
                assert [data(answer)["rows"] for answer in answers] == [[], []]
            else:
                assert answers[0].text.replace(theirs, "") == answers[1].text.replace(made_up, "")
                assert answers[0].json()["code"] == 40001
        assert key_id not in other.get("keys", params={"include_ended": "true"}).text
        everything = other.get("logs").text + other.get("logs", params={"user_id": "kim"}).text
        assert request_id not in everything
    assert is_live(ApiKey.objects.get(pk=key_id))


def test_only_owners_and_admins_give_the_scope_of_keys(tenant: Tenant) -> None:
    from tenancy.models import Role
    from tests.support.accounts.people import add_member, sign_in, sign_in_owner

    body = {"name": "manager", "scope": "custom", "scopes": ["read", "keys"], "expiry": ""}
    path = f"/p/{tenant.project_id}/api-keys/new/"

    developer = sign_in(add_member(tenant.project.account, Role.DEVELOPER)).post(path, body)
    assert not ApiKey.objects.filter(project=tenant.project, name="manager").exists()
    owner = sign_in_owner(tenant).post(path, body)

    assert (developer.status_code, owner.status_code) == (422, 200)
    assert ApiKey.objects.get(project=tenant.project, name="manager").scopes == ["read", "keys"]
