"""What is said again is found, whatever became of the memory that says it, and in the spelling of the last time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest

from memories.models import MemCube, Memory
from memories.retrieval.explain_search import explain_search
from memories.retrieval.queries.query import SearchQuery
from memories.values import OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.clients.mem0_client import Mem0

TODAY = datetime.now(UTC).date()
YESTERDAY, LATER, MUCH_LATER = (TODAY + timedelta(days=days) for days in (-1, 10, 20))


def set_last_day(tenant: Tenant, last_day: date, **fields: str) -> UUID:
    with tenant_scope(tenant.project):
        mine = Memory.objects.within(MemCube.objects.within(tenant.project))
        assert mine.update(expires_on=last_day, **fields) == 1
        return mine.get().pk


def list_last_days(tenant: Tenant) -> list[date | None]:
    with tenant_scope(tenant.project):
        return list(
            Memory.objects.within(MemCube.objects.within(tenant.project)).values_list("expires_on", flat=True)
        )


@pytest.mark.parametrize("status", ["activated", "frozen"])
def test_what_is_said_after_its_memorys_last_day_is_found_again(
    tenant: Tenant, api: Api, status: str
) -> None:
    api.add("kim", "I live in Lisbon.")
    set_last_day(tenant, YESTERDAY, status=status)
    assert api.facts("kim", "Where does the user live?") == []

    api.add("kim", "I live in Lisbon.")

    assert "Lisbon" in str(api.facts("kim", "Where does the user live?"))
    assert list_last_days(tenant) == [None]


def test_what_is_past_its_last_day_takes_no_other_wording_of_the_same_into_it(
    tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I play the oboe in an orchestra in Lisbon.")
    set_last_day(tenant, YESTERDAY)

    api.add("kim", "I play the oboe in an orchestra.")

    assert "oboe" in str(api.facts("kim", "Which instrument does the user play?"))


@pytest.mark.parametrize(("last_day", "kept"), [(None, None), (LATER, MUCH_LATER)])
def test_of_two_last_days_the_later_holds(tenant: Tenant, last_day: date | None, kept: date | None) -> None:
    body = {"messages": "I live in Porto.", "user_id": "kim", "async_mode": False}
    with Mem0(tenant) as mem0:
        mem0.ok("POST", "/v3/memories/add/", body | {"expiration_date": MUCH_LATER.isoformat()})
        mem0.ok(
            "POST",
            "/v3/memories/add/",
            body | ({"expiration_date": last_day.isoformat()} if last_day else {}),
        )

    assert list_last_days(tenant) == [kept]


def test_what_is_stored_word_for_word_after_its_last_day_is_found_again(tenant: Tenant) -> None:
    with Mem0(tenant) as mem0:
        mem0.store("I play the oboe.", "kim")
        set_last_day(tenant, YESTERDAY)
        assert mem0.listed({"user_id": "kim"}) == []

        mem0.store("I play the oboe.", "kim")

        assert mem0.listed({"user_id": "kim"}) == ["I play the oboe."]


def test_wordings_that_differ_in_case_or_width_are_all_stored_word_for_word(tenant: Tenant) -> None:
    codes = ["The code is AB3x.", "The code is ab3X.", "The room has 10² tiles.", "The room has 102 tiles."]
    with Mem0(tenant) as mem0:
        for code in [*codes, codes[0]]:
            mem0.store(code, "kim")

        assert sorted(mem0.listed({"user_id": "kim"})) == sorted(codes)


def test_a_name_or_code_is_remembered_as_it_was_written_last(api: Api) -> None:
    written = (
        ("My wifi password is abcd.", "My wifi password is aBcD.", "aBcD"),
        ("My landlord is called Mcdonald.", "My landlord is called McDonald.", "McDonald"),
        ("The licence plate of my van is lx12kde.", "The licence plate of my van is LX12KDE.", "LX12KDE"),
        ("I live in Lisbon.", "i live in lisbon.", "Lisbon"),
        ("我的车牌号是沪a12345。", "我的车牌号是沪A12345。", "沪A12345"),
    )
    api.add("kim", *(first for first, _, _ in written))
    api.add("kim", *(then for _, then, _ in written))

    now = api.current("kim")
    assert len(now) == len(written), now
    assert [held for *_, held in written if held not in " ".join(now)] == []


def test_who_asks_why_a_memory_is_not_found_learns_that_its_last_day_is_over(
    tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    key = set_last_day(tenant, YESTERDAY)
    query = SearchQuery(Subject(OwnerKind.END_USER, "kim"), "Where do I live?")

    closed = [gate for gate in explain_search(tenant.project, query, key) if gate.has_passed is False]

    assert [(gate.name, gate.why["expires_on"]) for gate in closed] == [("time", YESTERDAY.isoformat())]
