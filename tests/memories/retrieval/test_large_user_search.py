"""Searches of an owner who has more memories than a search reads itself: they are read behind the first answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connections

from memories.cubes.access import PUBLIC_OWNER
from memories.models import MemCube, Memory
from memories.retrieval.cache import snapshots as keeping
from memories.retrieval.cache.snapshots import Snapshots, snapshots
from memories.retrieval.queries.filters import parse_filter
from memories.retrieval.queries.query import SearchQuery
from memories.retrieval.search import run_search, search_memories
from memories.values import OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import write_facts
from tests.support.waiting import wait_until

KIM, PUBLIC = Subject(OwnerKind.END_USER, "kim"), Subject(OwnerKind.PUBLIC, PUBLIC_OWNER)
CITIES = ["Oslo", "Lima", "Kyoto", "Quito", "Ghent", "Turin", "Perth", "Cairo"]
HOME = "The user lives in Porto."


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


@pytest.fixture
def project(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(keeping, "SCORE_ALL", 4)
    write_facts(tenant.project, KIM, HOME, *[f"The user flew to {city} in May." for city in CITIES])
    return tenant.project


def list_cube_keys(project: Project, owner: str = "kim") -> tuple[UUID, ...]:
    with tenant_scope(project):
        return tuple(MemCube.objects.within(project).filter(owner_id=owner).values_list("pk", flat=True))


def texts(project: Project, question: str, **options: Any) -> list[str]:
    query = SearchQuery(KIM, question, **{"relativity": 0.0, **options})
    return [hit.memory.text for hit in search_memories(project, query)]


def at_hand(project: Project, owner: str = "kim") -> None:
    """Searches until all rows of the owner are kept."""
    texts(project, "Where does the user live?")
    wait_until(lambda: snapshots.get(list_cube_keys(project, owner)) is not None)


def test_the_first_search_answers_before_all_rows_are_read(project: Project) -> None:
    assert texts(project, "Where does the user live?")[0] == HOME

    wait_until(lambda: snapshots.get(list_cube_keys(project)) is not None)
    findings = run_search(project, SearchQuery(KIM, "Where does the user live?"))
    assert len(findings.candidates) == 1 + len(CITIES)


def test_what_changes_is_read_and_nothing_else(project: Project) -> None:
    at_hand(project)
    before = snapshots.get(list_cube_keys(project))
    (added,) = write_facts(project, KIM, "The user plays the theremin.")

    assert "theremin" in texts(project, "Who plays the theremin?")[0]

    after = snapshots.get(list_cube_keys(project))
    assert before is not None
    assert after is not None
    assert len(after) == len(before) + 1
    assert added.pk in after


@pytest.mark.parametrize("fields", [{"status": "archived"}, {"text": "The user lives in Faro."}])
def test_what_is_changed_never_comes_back(project: Project, fields: dict[str, Any]) -> None:
    at_hand(project)
    with tenant_scope(project):
        Memory.objects.within(list_cube_keys(project)).filter(text=HOME).update(**fields)

    assert HOME not in texts(project, "Where does the user live?")


def test_more_changes_than_a_search_reads_are_read_behind_it(project: Project) -> None:
    at_hand(project)
    write_facts(project, KIM, *[f"The user drove to {city} in June." for city in CITIES])

    assert "drove to Lima" in texts(project, "Who drove to Lima in June?")[0]


def test_what_is_deleted_never_comes_back(project: Project, api: Api) -> None:
    at_hand(project)
    with tenant_scope(project):
        (doomed,) = (
            Memory.objects.within(list_cube_keys(project)).filter(text=HOME).values_list("pk", flat=True)
        )

    api.data("delete/memory", {"memory_ids": [str(doomed)]})

    assert HOME not in texts(project, "Where does the user live?")


def test_an_erased_owner_leaves_nothing_behind(project: Project, api: Api) -> None:
    at_hand(project)
    (cube,) = list_cube_keys(project)

    api.data("delete/memory", {"user_id": "kim"})

    assert texts(project, "Where does the user live?") == []
    assert not snapshots.get((cube,))


def test_filters_the_past_and_last_days_count(project: Project) -> None:
    write_facts(project, KIM, "The user lived in Faro.", valid_until=datetime(2025, 1, 1, tzinfo=UTC))
    write_facts(project, KIM, "The user has a ticket.", expires_on=date(2025, 1, 1))
    write_facts(project, KIM, "The user keeps bees.", tags=["farm"])
    at_hand(project)
    farm = parse_filter({"user": {"and": [{"tags": {"contains": "farm"}}]}})

    assert texts(project, "Where does the user live?", narrowed=farm) == ["The user keeps bees."]
    assert "The user has a ticket." not in texts(project, "Does the user have a ticket?")
    assert "The user lived in Faro." not in texts(project, "Does the user live in Faro now?")
    assert "The user lived in Faro." in texts(project, "Where did the user live before?")


def test_a_store_that_a_project_shares_is_kept_once(project: Project) -> None:
    write_facts(project, PUBLIC, *[f"The office in {city} opens at nine." for city in CITIES])
    at_hand(project)
    shared = list_cube_keys(project, PUBLIC_OWNER)
    wait_until(lambda: snapshots.get(shared) is not None)

    sentences = texts(project, "When does the office in Lima open?")

    assert sentences[0] == "The office in Lima opens at nine."
    assert HOME in texts(project, "Where does the user live?")
    assert all(len(cubes) == 1 for cubes in snapshots.holding(shared[0]))


def test_more_rows_than_can_be_kept_are_not_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_most", 3 * keeping._ROW_BYTES)

    assert texts(project, "Where does the user live?")[0] == HOME
    keeping.completion.store_all()

    assert snapshots.get(list_cube_keys(project)) is None


def test_all_rows_are_asked_for_once_a_minute() -> None:
    held = Snapshots(2**20)
    cubes = (UUID(int=1),)

    assert held.may_read(cubes)
    assert not held.may_read(cubes)
    assert held.may_read((UUID(int=2),))


def test_what_is_dropped_for_others_is_of_the_account_that_keeps_the_most(
    project: Project, stranger: Tenant
) -> None:
    at_hand(project)
    snapshot = snapshots.get(list_cube_keys(project))
    assert snapshot is not None
    held = Snapshots(int(3.5 * snapshot.bytes))
    small = UUID(int=9)
    with tenant_scope(stranger.project), held.reading((small,)) as reading:
        assert held.put(reading, snapshot)
    with tenant_scope(project):
        for number in range(4):
            with held.reading((UUID(int=number),)) as reading:
                assert held.put(reading, snapshot)

    assert held.get((small,)) is not None
    assert held.get((UUID(int=3),)) is not None
    assert held.get((UUID(int=0),)) is None
    assert np.sum([held.get((UUID(int=number),)) is not None for number in range(4)]) == 2
