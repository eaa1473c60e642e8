"""Why was this not recalled? Each gate of the search has an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from console.embedded.stack import Stack
from memories.models import MemCube, Memory
from memories.retrieval.explain_search import Gate, explain_search
from memories.retrieval.queries.filters import parse_filter
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import search_memories
from memories.values import OwnerKind, Subject
from tenancy.errors import MemoryUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Api, Tenant, message
from tests.support.tenants import make_tenant

KIM = Subject(OwnerKind.END_USER, "kim")
GATES = "owner kind status time filter candidates relativity repeats diversity limit".split()


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


@pytest.fixture(scope="module")
def project(stack: Stack) -> Project:
    """What tests only ask about."""
    return lived_in(make_tenant(stack))


@pytest.fixture
def own_project(tenant: Tenant) -> Project:
    return lived_in(tenant)


def lived_in(tenant: Tenant) -> Project:
    with tenant.api() as api:
        api.add(
            "kim", message("user", "I live in Beijing.", chat_time="2025-01-10 10:00:00"), conversation_id="a"
        )
        api.add(
            "kim",
            message("user", "I moved to Shanghai.", chat_time="2025-06-10 10:00:00"),
            conversation_id="b",
        )
        api.add("kim", "I work as a nurse.", conversation_id="c")
        api.add("lee", "I live in Oslo.")
    return tenant.project


def gates(project: Project, about: str, question: str, **options: Any) -> dict[str, Gate]:
    query = SearchQuery(KIM, question, **options)
    all_gates = explain_search(project, query, memory(project, about).pk)
    assert [gate.name for gate in all_gates] == GATES
    return {gate.name: gate for gate in all_gates}


def memory(project: Project, about: str) -> Memory:
    with tenant_scope(project):
        row: Memory = Memory.objects.within(MemCube.objects.within(project)).get(text__contains=about)
        return row


def closed(gates_by_name: dict[str, Gate]) -> list[str]:
    return [name for name, gate in gates_by_name.items() if gate.has_passed is False]


def test_what_is_returned_has_passed_every_gate(project: Project) -> None:
    gates_by_name = gates(project, "Shanghai", "Where do I live?")

    assert all(gate.has_passed for gate in gates_by_name.values())
    parts = gates_by_name["relativity"].why["parts"]
    assert parts["meaning"] > 0
    assert gates_by_name["relativity"].why["place"] == 1


@pytest.mark.parametrize(
    ("about", "question", "options", "gate"),
    [
        ("Oslo", "Where do I live?", {}, "owner"),
        ("nurse", "What is my job?", {"facts": 0}, "kind"),
        ("Beijing", "Where do I live now?", {}, "time"),
        (
            "nurse",
            "What is my job?",
            {"narrowed": parse_filter({"and": [{"conversation_id": "a"}]})},
            "filter",
        ),
        ("nurse", "Who won the 1998 World Cup?", {"relativity": 0.9}, "relativity"),
        ("nurse", "Where do I live?", {"relativity": 0, "facts": 1}, "limit"),
    ],
)
def test_the_gate_that_kept_a_memory_back_says_so(
    project: Project, about: str, question: str, options: dict[str, Any], gate: str
) -> None:
    gates_by_name = gates(project, about, question, **options)

    assert closed(gates_by_name) == [gate]
    after = GATES[GATES.index(gate) + 1 :]
    assert all(gates_by_name[name].has_passed is None for name in after)


def test_the_past_is_reached_by_a_question_about_it(project: Project) -> None:
    gates_by_name = gates(project, "Beijing", "Where did I live before?")

    assert closed(gates_by_name) == []


def test_an_archived_memory_is_kept_back_by_its_status(own_project: Project) -> None:
    with tenant_scope(own_project):
        mine = Memory.objects.within(MemCube.objects.within(own_project))
        mine.filter(text__contains="nurse").update(status="archived")

    assert closed(gates(own_project, "nurse", "What is my job?")) == ["status"]


def test_asking_why_counts_as_no_recall(own_project: Project) -> None:
    query = SearchQuery(KIM, "Where do I live?")
    before = [hit.memory.pk for hit in search_memories(own_project, query)]

    for key in before:
        explain_search(own_project, query, key)

    assert [hit.memory.pk for hit in search_memories(own_project, query)] == before


@pytest.mark.parametrize("memory_id", [UUID(int=4), UUID(int=0)])
def test_nobody_learns_of_memories_that_are_not_theirs(project: Project, memory_id: UUID) -> None:
    with pytest.raises(MemoryUnknown):
        explain_search(project, SearchQuery(KIM, "Where do I live?"), memory_id)


def test_a_strangers_memory_does_not_exist(project: Project, stranger: Tenant, strangers_api: Api) -> None:
    strangers_api.add("kim", "I live in Lima.")

    with pytest.raises(MemoryUnknown):
        explain_search(project, SearchQuery(KIM, "Where do I live?"), memory(stranger.project, "Lima").pk)
