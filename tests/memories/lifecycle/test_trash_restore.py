"""The trash while two people use it at once, and what comes out of it: all that was there before, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test import Client
from django.utils import timezone

from console.data.erasure.unarchive import unarchive_project as restore_project
from memories.lifecycle.trash import (
    move_to_trash,
    purge_due,
    purge_memories,
    restore_memories,
    select_trashed_memories,
)
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.models.trash_visibility import seeing_trash
from memories.values import OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.projects.projects import archive_project
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.tasks.many_memories import write_facts
from tests.support.tasks.refine_tasks import KIM
from tests.support.tasks.trash import delete_into_trash, in_trash, page, wait_out
from tests.support.waiting import wait_until_somebody_waits

SAID = ("The user lives in Lisbon.", "The user has two cats.", "The user works as a nurse.")


@pytest.fixture
def owner(tenant: Tenant) -> Iterator[Client]:
    yield sign_in_owner(tenant)
    connections.close_all()


def list_memories(tenant: Tenant) -> MemoryQuerySet:
    memories: MemoryQuerySet = Memory.objects.within(MemCube.objects.within(tenant.project))
    return memories


def held(tenant: Tenant) -> list[tuple[Any, ...]]:
    """How everything that is not in the trash stands."""
    fields = ("pk", "status", "valid_until", "superseded_by", "details", "purge_at")
    with tenant_scope(tenant.project):
        return list(list_memories(tenant).order_by("pk").values_list(*fields))


def facts(tenant: Tenant) -> list[Memory]:
    with tenant_scope(tenant.project):
        return list(list_memories(tenant).filter(kind="fact").order_by("pk").only("pk"))


def change(tenant: Tenant, memory: Memory, **fields: Any) -> None:
    with tenant_scope(tenant.project):
        list_memories(tenant).filter(pk=memory.pk).update(**fields)


def aside(action: Callable[[], int]) -> int:
    try:
        return action()
    finally:
        connections.close_all()


def test_two_people_who_delete_the_same_memory_throw_it_away_once(tenant: Tenant, owner: Client) -> None:
    write_facts(tenant.project, KIM, SAID[0])
    before = held(tenant)

    def second() -> int:
        with tenant_scope(tenant.project):
            return move_to_trash(tenant.project, list_memories(tenant), "second").count

    with ThreadPoolExecutor(1) as others:
        with tenant_scope(tenant.project):
            assert move_to_trash(tenant.project, list_memories(tenant), "first").count == 1
            late = others.submit(aside, second)
            wait_until_somebody_waits()
        assert late.result() == 0

    (memory,) = in_trash(tenant)
    assert memory.version == 2
    owner.post(page(tenant, "trash/restore/"), {"ids": [str(memory.pk)]})
    assert held(tenant) == before


def test_what_is_restored_while_a_purge_waits_for_it_stays(tenant: Tenant, owner: Client) -> None:
    write_facts(tenant.project, KIM, SAID[0])
    before = held(tenant)
    delete_into_trash(owner, tenant, str(before[0][0]))

    def late_purge() -> int:
        return sum(purge_memories(tenant.project, select_trashed_memories(tenant.project)))

    with ThreadPoolExecutor(1) as others:
        with transaction.atomic():
            (restored,) = restore_memories(tenant.project, select_trashed_memories(tenant.project), "first")
            late = others.submit(aside, late_purge)
            wait_until_somebody_waits()
        assert (len(restored.back), late.result()) == (1, 0)

    assert held(tenant) == before


def test_much_is_restored_and_purged_in_small_transactions(
    tenant: Tenant, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_facts(tenant.project, KIM, *SAID)
    write_facts(tenant.project, Subject(OwnerKind.END_USER, "lee"), *SAID)
    before = held(tenant)
    delete_into_trash(owner, tenant, *(str(row[0]) for row in before))
    monkeypatch.setattr("memories.lifecycle.trash.BATCH", 2)

    done = []
    for batch in restore_memories(tenant.project, select_trashed_memories(tenant.project), "member"):
        assert not connection.in_atomic_block
        done.append(len(batch.back))
    assert max(done) <= 2
    assert sum(done) == len(before)
    assert held(tenant) == before

    delete_into_trash(owner, tenant, *(str(row[0]) for row in before))
    gone = list(purge_memories(tenant.project, select_trashed_memories(tenant.project)))
    assert max(gone) <= 2
    assert (sum(gone), in_trash(tenant), held(tenant)) == (len(before), [], [])


@pytest.mark.parametrize("slot", ["residence", ""])
def test_undoing_a_deletion_leaves_what_it_had_replaced_exactly_as_it_was(
    tenant: Tenant, owner: Client, slot: str
) -> None:
    write_facts(tenant.project, KIM, *SAID)
    older, newer, other = facts(tenant)
    ended = timezone.now() - timedelta(days=40)
    change(tenant, older, slot=slot, valid_until=ended, superseded_by=newer)
    change(tenant, newer, slot=slot)
    change(tenant, other, slot="")
    before = held(tenant)

    undo = delete_into_trash(owner, tenant, str(newer.pk))
    with tenant_scope(tenant.project):
        assert list_memories(tenant).get(pk=older.pk).valid_until is None
    owner.post(undo)

    assert held(tenant) == before


def test_what_was_merged_comes_back_alone_as_it_was_while_something_says_it(
    tenant: Tenant, owner: Client
) -> None:
    write_facts(tenant.project, KIM, *SAID)
    merged, into, _other = facts(tenant)
    change(tenant, merged, status="merged", superseded_by=into)
    before = held(tenant)

    owner.post(delete_into_trash(owner, tenant, str(merged.pk)))
    assert held(tenant) == before

    delete_into_trash(owner, tenant, str(into.pk))
    owner.post(page(tenant, "trash/restore/"), {"ids": [str(merged.pk)]})
    with tenant_scope(tenant.project):
        assert list_memories(tenant).get(pk=merged.pk).status == "archived"


def test_the_days_of_an_archived_projects_trash_stand_still(tenant: Tenant, owner: Client) -> None:
    write_facts(tenant.project, KIM, SAID[0])
    delete_into_trash(owner, tenant, str(held(tenant)[0][0]))
    archive_project(tenant.project, get_owner(tenant))
    wait_out(tenant, days=10)

    purge_due(Project.objects.filter(pk=tenant.project_id))
    assert len(in_trash(tenant)) == 1

    Project.objects.filter(pk=tenant.project_id).update(archived_at=timezone.now() - timedelta(days=10))
    restore_project(tenant.project, get_owner(tenant))
    purge_due(Project.objects.filter(pk=tenant.project_id))
    (memory,) = in_trash(tenant)
    assert memory.purge_at is not None
    assert timedelta(days=6, hours=23) < memory.purge_at - timezone.now() < timedelta(days=7)


def test_a_memory_in_the_trash_twice_over_is_still_restored(tenant: Tenant, owner: Client) -> None:
    write_facts(tenant.project, KIM, SAID[0])
    before = held(tenant)
    delete_into_trash(owner, tenant, str(before[0][0]))
    with tenant_scope(tenant.project), seeing_trash():
        first = select_trashed_memories(tenant.project).get().versions.get()
        first.pk, first.number, first.status = None, 2, "deleted"
        first.save(force_insert=True)
        select_trashed_memories(tenant.project).update(version=3)

    owner.post(page(tenant, "trash/restore/"), {"ids": [str(before[0][0])]})

    assert held(tenant) == before
