"""Searches that read knowledge bases beside what is known of the user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections

from memories.models import Memory, Recall
from memories.values import MemoryStatus
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key
from tenancy.models import Project
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.knowledge.shared_bases import POLICY, fill, get_cube, grant, new_base, revoke
from tests.support.waiting import look_until

ASKED = "Check the software procurement reimbursement limit for me."
DESIGNER = "I am a designer in the Creative Platform Department."


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


@pytest.fixture
def api(tenant: Tenant) -> Iterator[Api]:
    """A developer for each test: which bases are linked is part of what is tested."""
    with tenant.api() as client:
        yield client


@pytest.fixture
def base(tenant: Tenant) -> str:
    return new_base(
        tenant, POLICY, "Travel policy\n\nFlights are booked through the travel desk a week ahead."
    )


def found(api: Api, user: str = "kim", query: str = ASKED, **options: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = api.search(user, query, **options)["memory_detail_list"]
    return items


def test_the_policy_comes_first_and_the_user_is_known_beside_it(api: Api, base: str) -> None:
    api.add("kim", DESIGNER)

    first, *others = found(api, knowledgebase_ids=[base], relativity=0)

    assert "800 yuan" in first["memory_value"]
    assert first["relativity"] > 0.8
    assert any("Creative Platform" in item["memory_value"] for item in others)


def test_only_what_answers_passes_the_threshold(api: Api, base: str) -> None:
    api.add("kim", DESIGNER)

    keys = [item["memory_key"] for item in found(api, knowledgebase_ids=[base])]

    # What the user is helps to answer what they may buy; how flights are booked does not.
    assert keys[0] == POLICY.split("\n")[0]
    assert set(keys[1:]) <= {"User job"}


@pytest.mark.parametrize(
    "asked", ["What should I cook tonight?", "我妹妹什么时候结婚？", "Who won the match?"]
)
def test_what_has_nothing_to_do_with_the_base_brings_nothing_of_it(api: Api, base: str, asked: str) -> None:
    assert found(api, query=asked, knowledgebase_ids=[base]) == []


def test_a_question_in_another_language_finds_the_passage(api: Api, base: str) -> None:
    assert (
        "800 yuan"
        in found(api, query="办公软件的报销限额是多少？", knowledgebase_ids=[base])[0]["memory_value"]
    )


def test_a_passage_says_where_it_stands(api: Api, base: str) -> None:
    item = found(api, knowledgebase_ids=[base])[0]

    assert item["memory_key"] == "Software Procurement Reimbursement Policy (Trial Version)"
    assert item["conversation_id"] == "default_session"
    assert item["knowledgebase_id"] == base
    assert item["confidence"] == 0.99
    assert {"mode:fine", "multimodal:file"} <= set(item["tags"])
    (source,) = item["sources"]
    assert source["type"] == "file"
    assert (source["file"]["name"], source["file"]["page"]) == ("policy.pdf", 1)
    assert source["file"]["knowledgebase_id"] == base


@pytest.mark.parametrize("named", ["id", "all", ["all"]])
def test_bases_are_named_by_id_or_all_at_once(api: Api, base: str, named: Any) -> None:
    assert found(api, knowledgebase_ids=[base] if named == "id" else named)


@pytest.mark.parametrize("options", [{}, {"knowledgebase_ids": []}, {"knowledgebase_ids": None}])
def test_without_a_base_named_nothing_of_any_comes_back(api: Api, base: str, options: dict[str, Any]) -> None:
    assert found(api, relativity=0, **options) == []


def test_only_the_named_bases_are_searched(api: Api, tenant: Tenant, base: str) -> None:
    other = new_base(tenant, "Parking rules\n\nVisitors park behind the building.")

    keys = {item["memory_key"] for item in found(api, knowledgebase_ids=[other], relativity=0)}

    assert keys == {"Parking rules"}


def test_a_base_that_is_not_linked_refuses_the_search(
    api: Api, tenant: Tenant, base: str, strangers_api: Api
) -> None:
    asked = {"user_id": "kim", "query": ASKED}
    made_up = f"base{uuid4()}"

    for name in (base, made_up):
        refused(strangers_api.call("search/memory", asked | {"knowledgebase_ids": [name]}), 50123, name)
    assert found(strangers_api, knowledgebase_ids="all", relativity=0) == []
    revoke(tenant, base)
    refused(api.call("search/memory", asked | {"knowledgebase_ids": [base]}), 50123, base)
    assert found(api, knowledgebase_ids="all", relativity=0) == []


def test_all_projects_that_are_linked_find_the_same(api: Api, tenant: Tenant, base: str) -> None:
    second = Project.objects.create(account=tenant.project.account, name=uuid4().hex[:8])
    asked = {"user_id": "lou", "query": ASKED, "knowledgebase_ids": [base]}

    with tenant.api(create_key(second, "second").plaintext) as theirs:
        refused(theirs.call("search/memory", asked), 50123, base)
        grant(tenant, base, second)

        same = [item["id"] for item in found(theirs, "lou", knowledgebase_ids=[base])]

    assert same == [item["id"] for item in found(api, knowledgebase_ids=[base])]


def test_a_filter_of_the_user_leaves_the_bases_alone(api: Api, base: str) -> None:
    api.add("kim", DESIGNER, tags=["work"])
    narrowed = {"user": {"and": [{"tags": {"contains": "nothing"}}]}}

    keys = [
        item["memory_key"] for item in found(api, knowledgebase_ids=[base], filter=narrowed, relativity=0)
    ]

    assert POLICY.split("\n")[0] in keys
    assert len(keys) == 2


def test_a_base_is_narrowed_by_its_own_filter_and_by_one_for_all(api: Api, tenant: Tenant, base: str) -> None:
    fill(tenant, base, ["Old travel policy\n\nTrains only."], tags=["old"])
    condition = {"and": [{"tags": {"contains": "old"}}]}

    for narrowed in ({"knowledgebase": condition}, condition):
        items = found(api, query="How do I travel?", knowledgebase_ids=[base], filter=narrowed, relativity=0)
        assert [item["memory_key"] for item in items] == ["Old travel policy"]


def test_what_people_put_right_stands_before_what_documents_say(api: Api, tenant: Tenant, base: str) -> None:
    fill(tenant, base, ["The procurement limit for office software is 600 yuan, not 800 yuan."], details={})

    asked = "What is the procurement limit for office software?"
    first = found(api, query=asked, knowledgebase_ids=[base])[0]

    assert "600" in first["memory_value"]
    assert first["sources"] == []


def test_what_is_found_in_a_base_counts_as_recalled(api: Api, tenant: Tenant, base: str) -> None:
    key = found(api, knowledgebase_ids=[base])[0]["id"]

    row = look_until(lambda: recall(tenant, key), bool, otherwise="the recall was never counted")
    assert row is not None
    assert (row.project_id, row.count) == (None, 1)


def recall(tenant: Tenant, key: str) -> Recall | None:
    with tenant_scope(tenant.project):
        row: Recall | None = Recall.objects.within([key]).first()
        return row


def test_one_memory_of_a_base_is_read_by_those_who_may(
    api: Api, tenant: Tenant, base: str, strangers_api: Api
) -> None:
    key = found(api, knowledgebase_ids=[base])[0]["id"]

    memory = accepted(api.get(f"get/memory/{key}"))

    assert memory["knowledgebase_id"] == base
    assert memory["metadata"]["sources"][0]["file"]["name"] == "policy.pdf"
    refused(strangers_api.get(f"get/memory/{key}"), 40001)
    revoke(tenant, base)
    refused(api.get(f"get/memory/{key}"), 40001)


def test_a_memory_of_a_base_is_changed_with_its_history(api: Api, tenant: Tenant, base: str) -> None:
    key = found(api, knowledgebase_ids=[base])[0]["id"]

    api.data("update/memory", {"memory_id": key, "content": POLICY.replace("800", "650")})

    assert "650 yuan" in found(api, knowledgebase_ids=[base])[0]["memory_value"]
    history = accepted(api.get(f"get/memory/{key}"))["history"]
    assert "800 yuan" in history[0]["content"]


def test_a_deleted_memory_of_a_base_is_out_of_use_for_all_and_can_be_put_back(
    api: Api, tenant: Tenant, base: str
) -> None:
    key = found(api, knowledgebase_ids=[base])[0]["id"]

    api.data("delete/memory", {"memory_ids": [key]})

    assert found(api, knowledgebase_ids=[base]) == []
    with tenant_scope(tenant.project):
        memory = Memory.objects.within(get_cube(tenant, base)).get(pk=key)
        assert memory.status == MemoryStatus.ARCHIVED
        assert memory.versions.get().actor == "api"


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("update/memory", {"memory_id": "KEY", "content": "Everything is free."}, 40001),
        ("delete/memory", {"memory_ids": ["KEY"]}, 40307),
    ],
)
def test_who_may_not_read_a_base_may_not_change_it(
    api: Api, tenant: Tenant, base: str, strangers_api: Api, path: str, body: dict[str, Any], code: int
) -> None:
    key = found(api, knowledgebase_ids=[base])[0]["id"]
    sent = {name: [key] if value == ["KEY"] else value.replace("KEY", key) for name, value in body.items()}

    refused(strangers_api.call(path, sent), code)
    revoke(tenant, base)
    refused(api.call(path, sent), code)

    grant(tenant, base)
    with tenant_scope(tenant.project):
        memory = Memory.objects.within(get_cube(tenant, base)).get(pk=key)
        assert (memory.status, memory.text) == (MemoryStatus.ACTIVATED, POLICY)
