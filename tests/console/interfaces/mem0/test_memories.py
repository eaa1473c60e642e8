"""A program of mem0's adds, finds, changes and deletes memories, over the raw wire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.waiting import LIMIT

ROW = {
    *("id", "memory", "user_id", "agent_id", "app_id", "run_id", "session_id", "metadata", "categories"),
    *("created_at", "updated_at", "expiration_date", "immutable", "replaced_by"),
}
TODAY = datetime.now(UTC).date()
YESTERDAY, TOMORROW = (TODAY - timedelta(days=2)).isoformat(), (TODAY + timedelta(days=2)).isoformat()


@pytest.mark.parametrize("prefix", ["", "/api/mem0", "/", "/api/mem0/", "//api//mem0/"])
@pytest.mark.parametrize("end", ["", "/"])
def test_a_client_connects_by_any_spelling_of_the_address(developer: Tenant, prefix: str, end: str) -> None:
    address, header = f"{developer.url}{prefix}/v1/ping{end}", {"Authorization": f"Token {developer.key}"}
    answer = httpx.get(address, headers=header, trust_env=False, verify=False, timeout=LIMIT)

    assert answer.status_code == 200
    body = answer.json()
    assert body["status"] == "ok"
    assert body["project_id"] == developer.project_id
    assert body["org_id"]
    assert "@" not in body["user_email"]


def test_a_project_named_like_an_address_tells_no_address(tenant: Tenant) -> None:
    project = tenant.project
    project.name = "kim@example.org"
    project.save(update_fields=["name"])

    with Mem0(tenant) as mem0:
        assert "@" not in mem0.ok("GET", "/v1/ping/")["user_email"]


@pytest.mark.parametrize("header", [{}, {"Authorization": "Token nothing"}, {"Authorization": "Bearer"}])
def test_who_shows_no_key_is_refused(developer: Tenant, header: dict[str, str]) -> None:
    answer = httpx.get(
        f"{developer.url}/v1/ping/", headers=header, trust_env=False, verify=False, timeout=LIMIT
    )

    assert answer.status_code == 401
    assert isinstance(answer.json()["detail"], str)


def test_what_was_added_is_found_at_once_and_its_event_ends(mem0: Mem0, user: str) -> None:
    body = {
        "messages": [{"role": "user", "content": "I keep bees on the roof of a school in Ghent."}],
        "user_id": user,
        "metadata": {"channel": "chat", "nested": {"a": [1, None, "ü"]}},
    }
    added = mem0.ok("POST", "/v3/memories/add/", body)

    assert added["status"] == "PENDING"
    assert added["message"]
    assert "bees" in repr(mem0.search("Where do I keep bees?", {"user_id": user}))
    event = mem0.wait_for_event(added["event_id"])
    assert event["status"] == "SUCCEEDED"
    assert event["id"] == added["event_id"]
    assert event["completed_at"]
    assert {row["event"] for row in event["results"]} == {"ADD"}
    (result,) = event["results"][:1]
    memory = mem0.ok("GET", f"/v1/memories/{result['id']}/")
    assert memory["memory"] == result["data"]["memory"]
    assert memory["metadata"] == body["metadata"]
    assert event["id"] in {row["id"] for row in mem0.ok("GET", "/v1/events/")["results"]}


def test_a_client_that_waits_is_answered_when_the_work_is_done(mem0: Mem0, user: str) -> None:
    body = {"messages": "I live in Porto.", "filters": {"user_id": user}, "async_mode": False}

    added = mem0.ok("POST", "/v3/memories/add/", body)
    empty = mem0.ok("POST", "/v3/memories/add/", body | {"messages": "Thanks!"})

    assert added["status"] == "SUCCEEDED"
    assert added["results"][0]["data"]["memory"] == "The user lives in Porto."
    assert added["message"] == "Memories made from what was sent"
    assert empty["results"] == []
    assert empty["message"] == "No memory was made from what was sent"


def test_what_is_not_inferred_is_stored_word_for_word(mem0: Mem0, user: str) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "  I LIKE tea!!  "},
        {"role": "assistant", "content": "Noted: tea."},
        {"role": "user", "content": "  I LIKE tea!!  "},
    ]
    body = {"messages": messages, "user_id": user, "agent_id": "helper", "infer": False}

    first = mem0.ok("POST", "/v3/memories/add/", body)
    again = mem0.ok("POST", "/v3/memories/add/", body)

    assert first["status"] == "SUCCEEDED"
    assert first["message"] == "Memories stored as they were sent"
    assert [row["data"]["memory"] for row in first["results"]] == ["  I LIKE tea!!  ", "Noted: tea."]
    assert {row["event"] for row in first["results"]} == {"ADD"}
    assert {row["event"] for row in again["results"]} == {"NOOP"}
    assert sorted(mem0.listed({"user_id": user})) == ["  I LIKE tea!!  ", "Noted: tea."]
    event = mem0.ok("GET", f"/v1/event/{first['event_id']}/")
    assert event["status"] == "SUCCEEDED"
    assert len(event["results"]) == 2


@pytest.mark.parametrize("infer", [True, False])
def test_a_whole_talk_with_a_model_is_taken_with_its_calls_of_tools(
    mem0: Mem0, developer: Tenant, user: str, infer: bool
) -> None:
    function = {"name": "get_weather", "arguments": '{"city": "Porto"}'}
    messages = [
        {"role": "user", "content": "I live in Porto. How is the weather?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "Sunny, 21 degrees"},
        {"role": "assistant", "content": "It is sunny."},
    ]

    added = mem0.ok(
        "POST",
        "/v3/memories/add/",
        {"user_id": user, "messages": messages, "infer": infer, "async_mode": False},
    )

    assert added["status"] == "SUCCEEDED"
    stored = mem0.listed({"user_id": user})
    if infer:
        assert "The user lives in Porto." in stored
        with developer.api() as api:
            assert "get_weather" in repr(api.listed(user)["tool_memory_detail_list"])
    else:
        assert sorted(stored) == ["I live in Porto. How is the weather?", "It is sunny."]


def test_the_same_words_in_another_scope_are_another_memory(mem0: Mem0, user: str) -> None:
    memory = mem0.store("The door code is on the fridge.", user, agent_id="a")
    other = mem0.store("The door code is on the fridge.", user, agent_id="b")

    assert memory["id"] != other["id"]
    assert len(mem0.listed({"user_id": user})) == 2
    assert len(mem0.listed({"AND": [{"user_id": user}, {"agent_id": "b"}]})) == 1


def test_what_is_learned_later_does_not_reword_what_was_stored_as_it_is(mem0: Mem0, user: str) -> None:
    stored = mem0.store("User has dog Rex", user)
    body = {"messages": "My dog Rex is a brown terrier.", "user_id": user, "async_mode": False}
    mem0.ok("POST", "/v3/memories/add/", body)

    assert mem0.ok("GET", f"/v1/memories/{stored['id']}/")["memory"] == "User has dog Rex"


@pytest.mark.parametrize("name", ["user_id", "agent_id", "app_id", "run_id"])
def test_an_id_of_a_call_is_found_however_a_filter_spells_it(tenant: Tenant, name: str) -> None:
    with Mem0(tenant) as mem0:
        stored = mem0.store("The report is due on Friday.", **{name: "a"})
        for filters in ({name: "a"}, {name: "*"}, {name: {"in": ["a", "x"]}}, {"OR": [{name: "a"}]}):
            assert len(mem0.listed(filters)) == 1, filters
            assert [row["id"] for row in mem0.search("report", filters)] == [stored["id"]], filters


@pytest.mark.parametrize(
    "ids",
    [
        {"user_id": "u"},
        {"user_id": "u", "agent_id": "a", "app_id": "p", "run_id": "r"},
        {"agent_id": "a", "run_id": "r"},
        {"app_id": "p", "run_id": "r"},
    ],
)
def test_every_id_of_the_call_is_on_the_memory_and_finds_it(tenant: Tenant, ids: dict[str, str]) -> None:
    with Mem0(tenant) as mem0:
        stored = mem0.store("The report is due on Friday.", **ids)

        memory = mem0.ok("GET", f"/v1/memories/{stored['id']}/")
        named = {name: memory[name] for name in ("user_id", "agent_id", "app_id", "run_id")}
        assert named == {**dict.fromkeys(named), **ids}
        assert memory["session_id"] == memory["run_id"]
        for name, value in ids.items():
            assert len(mem0.listed({name: value})) == 1, name
            assert [row["id"] for row in mem0.search("report", {name: value})] == [stored["id"]], name
        for name in {"user_id", "agent_id", "app_id", "run_id"} - ids.keys():
            assert mem0.listed({name: "*"}) == []
            assert mem0.search("report", {name: "*"}) == []


def test_every_row_has_all_that_clients_read(mem0: Mem0, user: str) -> None:
    stored = mem0.store("I play the oboe.", user)

    (hit,) = mem0.search("Which instrument?", {"user_id": user})
    (listed,) = mem0.ok("POST", "/v3/memories/", {"filters": {"user_id": user}})["results"]
    got = mem0.ok("GET", f"/v1/memories/{stored['id']}/")

    assert hit.keys() == ROW | {"score"}
    assert listed.keys() == got.keys() == ROW
    assert 0 <= hit["score"] <= 1
    assert hit["metadata"] == {}
    assert hit["run_id"] is None


def test_hits_come_best_first_and_no_more_than_asked(mem0: Mem0, user: str) -> None:
    for text in ("I bake bread on Sundays.", "My car is a red Fiat.", "Rye bread is my favourite bread."):
        mem0.store(text, user)

    hits = mem0.search("What bread do I bake?", {"user_id": user}, top_k=2)

    assert len(hits) == 2
    assert [row["score"] for row in hits] == sorted((row["score"] for row in hits), reverse=True)
    assert "bread" in hits[0]["memory"]
    assert mem0.search("What bread do I bake?", {"user_id": user}, threshold=1) == []


def test_fields_narrow_rows_and_the_id_stays(mem0: Mem0, user: str) -> None:
    mem0.store("I bake bread.", user)

    (hit,) = mem0.search("bread", {"user_id": user}, fields=["memory", "score"])
    (listed,) = mem0.ok("POST", "/v3/memories/", {"filters": {"user_id": user}, "fields": ["memory"]})[
        "results"
    ]

    assert hit.keys() == {"id", "memory", "score"}
    assert listed.keys() == {"id", "memory"}


def test_pages_go_from_the_newest_to_the_oldest_and_end(mem0: Mem0, user: str) -> None:
    for number in range(5):
        mem0.store(f"Locker {number} is mine.", user)

    def page(number: int, size: int = 2) -> Any:
        path = f"/v3/memories/?page={number}&page_size={size}"
        return mem0.ok("POST", path, {"filters": {"user_id": user}, "page": 7})

    pages = [page(1), page(2), page(3), page(4)]

    assert [row["memory"][7] for answer in pages for row in answer["results"]] == list("43210")
    assert [answer["count"] for answer in pages] == [5] * 4
    assert [bool(answer["next"]) for answer in pages] == [True, True, False, False]
    assert [bool(answer["previous"]) for answer in pages] == [False, True, True, True]
    assert httpx.URL(pages[0]["next"]).path == "/v3/memories/"


def test_a_change_is_answered_with_the_whole_memory(mem0: Mem0, user: str) -> None:
    stored = mem0.store("I live in Porto.", user, metadata={"a": 1}, expiration_date="2999-01-01")
    path = f"/v1/memories/{stored['id']}/"
    changes: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"text": "I live in Oslo."}, {"memory": "I live in Oslo."}),
        ({"metadata": {"b": 2}}, {"metadata": {"b": 2}}),
        ({"metadata": {}}, {"metadata": {}}),
        ({"timestamp": 1_700_000_000}, {"created_at": "2023-11-14T22:13:20+00:00"}),
        ({"timestamp": 1_700_000_000.5}, {"created_at": "2023-11-14T22:13:20.500000+00:00"}),
        ({"timestamp": "2024-02-29T10:00:00Z"}, {"created_at": "2024-02-29T10:00:00+00:00"}),
        ({"expiration_date": TOMORROW}, {"expiration_date": TOMORROW}),
        ({"expiration_date": None}, {"expiration_date": None}),
    ]
    before = mem0.ok("GET", path)

    for change, expected in changes:
        changed = mem0.ok("PUT", path, change)

        assert changed.keys() == ROW
        assert changed == before | {"updated_at": changed["updated_at"]} | expected
        assert mem0.ok("GET", path) == changed
        before = changed


def test_a_memory_past_its_day_is_hidden_from_searches_and_lists_only(mem0: Mem0, user: str) -> None:
    last_day = datetime.now(UTC).date().isoformat()
    stored = mem0.store("The sale is on.", user, expiration_date=last_day)
    who = {"user_id": user}
    assert mem0.listed(who) == ["The sale is on."]
    assert mem0.search("sale", who)

    mem0.ok("PUT", f"/v1/memories/{stored['id']}/", {"expiration_date": YESTERDAY})

    for filters in (who, {"user_id": {"in": [user, "x"]}}):
        assert mem0.listed(filters) == []
        assert mem0.search("sale", filters) == []
        assert mem0.listed(filters, show_expired=True) == ["The sale is on."]
        assert mem0.search("sale", filters, show_expired=True)
    assert mem0.ok("GET", f"/v1/memories/{stored['id']}/")["expiration_date"] == YESTERDAY
    mem0.ok("PUT", f"/v1/memories/{stored['id']}/", {"expiration_date": None})
    assert mem0.listed(who) == ["The sale is on."]


def test_what_expires_is_hidden_from_the_other_contract_too(developer: Tenant, mem0: Mem0, user: str) -> None:
    mem0.store("The sale is on.", user, expiration_date=YESTERDAY)

    with developer.api() as api:
        assert api.facts(user, "sale", relativity=0) == []
        assert api.listed(user)["memory_detail_list"] == []


@pytest.mark.parametrize("infer", [True, False])
def test_the_wishes_of_a_call_hold_for_every_memory_that_it_makes(mem0: Mem0, user: str, infer: bool) -> None:
    body = {
        "messages": "I live in Porto. I work as a nurse.",
        "user_id": user,
        "infer": infer,
        "async_mode": False,
        "immutable": True,
        "expiration_date": TOMORROW,
        "timestamp": 1_700_000_000,
    }
    rows = mem0.ok("POST", "/v3/memories/add/", body)["results"]

    assert rows
    for row in rows:
        memory = mem0.ok("GET", f"/v1/memories/{row['id']}/")
        assert memory["immutable"] is True
        assert memory["expiration_date"] == TOMORROW
        assert memory["created_at"] == "2023-11-14T22:13:20+00:00"
        status, sentence = mem0.refusal("PUT", f"/v1/memories/{row['id']}/", {"text": "No."})
        assert (status, "frozen" in sentence) == (409, True)
        assert mem0.ok("DELETE", f"/v1/memories/{row['id']}/")["message"]


@pytest.mark.parametrize(
    ("written", "day"),
    [("2026-11-20T07:00:00+08:00", "21 November"), ("2026-11-20T23:30:00-05:00", "21 November")],
)
def test_the_day_is_the_one_where_the_call_says_it_was_observed(
    mem0: Mem0, user: str, written: str, day: str
) -> None:
    words = "I fly to Oslo tomorrow."
    body = {"messages": words, "user_id": user, "async_mode": False, "observation_datetime": written}
    (row,) = mem0.ok("POST", "/v3/memories/add/", body)["results"]

    assert f"{day} 2026" in mem0.ok("GET", f"/v1/memories/{row['id']}/")["memory"]


def test_categories_of_the_call_or_the_project_are_chosen_where_they_fit(tenant: Tenant) -> None:
    project = tenant.project
    path = f"/api/v1/orgs/organizations/{project.account_id}/projects/{project.pk}/"
    body = {"messages": "I play the oboe in an orchestra.", "async_mode": False}
    with Mem0(tenant) as mem0:
        mem0.ok(
            "PATCH", path, {"custom_categories": [{"orchestra": "Playing together"}, {"cooking": "Food"}]}
        )
        mem0.ok("POST", "/v3/memories/add/", body | {"user_id": "kim"})
        mem0.ok("POST", "/v3/memories/add/", body | {"user_id": "lee", "custom_categories": [{"oboe": "x"}]})

        (kim,) = mem0.ok("POST", "/v3/memories/", {"filters": {"user_id": "kim"}})["results"]
        (lee,) = mem0.ok("POST", "/v3/memories/", {"filters": {"user_id": "lee"}})["results"]

    assert ("orchestra" in kim["categories"], "cooking" in kim["categories"]) == (True, False)
    assert "oboe" in lee["categories"]


@pytest.mark.parametrize(
    "name", ["..", ".", "a//b", " kim ", "北京/用户", "🙂", "profile", "unnamed:x", "a+b&c=d", "%", "%2F"]
)
def test_an_id_may_be_any_text(mem0: Mem0, name: str) -> None:
    stored = mem0.store("Hello there.", name)
    try:
        assert mem0.ok("GET", f"/v1/memories/{stored['id']}/")["user_id"] == name
        assert mem0.listed({"user_id": name}) == ["Hello there."]
        path = f"/v2/entities/user/{quote(name, safe='').replace('.', '%2E')}/"
        assert mem0.ok("GET", path)[0]["name"] == name
        assert mem0.ok("GET", f"{path}profile/")["entity_id"] == name
    finally:
        mem0.ok("DELETE", "/v1/memories/", params={"user_id": name})


@pytest.mark.parametrize("ids", [{"run_id": "r1"}, {"app_id": "shop"}, {"agent_id": "bot", "run_id": "r2"}])
def test_what_is_inferred_belongs_to_whom_the_call_names(tenant: Tenant, ids: dict[str, str]) -> None:
    with Mem0(tenant) as mem0:
        body = {"messages": "I live in Porto and I play the oboe.", "async_mode": False, **ids}
        assert mem0.ok("POST", "/v3/memories/add/", body)["status"] == "SUCCEEDED"

        for name, value in ids.items():
            rows = mem0.ok("POST", "/v3/memories/", {"filters": {name: value}})["results"]
            assert rows
            assert all(row[name] == value and row["user_id"] is None for row in rows)
            assert mem0.search("Where do I live?", {name: value})


def test_the_console_says_that_a_memory_is_past_its_day(signed_in: Page, tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        mem0.store("The sale is on.", "kim", expiration_date=YESTERDAY)

    signed_in.goto(f"/p/{tenant.project_id}/memories/")

    expect(signed_in.get_by_role("row").filter(has_text="The sale is on.")).to_contain_text("Expired")
