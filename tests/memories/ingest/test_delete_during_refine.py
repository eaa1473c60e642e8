"""Memories that are deleted while the worker refines them stay deleted, and nobody is told to try again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connections

from memories.ingest.refine import refine_messages
from memories.lifecycle.delete import delete_memories
from memories.lifecycle.erase import erase_memories
from memories.models import MemCube, Memory
from memories.models.memory import MemoryQuerySet
from memories.settings.trash import SETTING, TrashPolicies
from memories.signals import talk_written
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tenancy.projects.projects import change_settings
from tests.support.accounts.people import get_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.refine_tasks import begin, take
from tests.support.waiting import wait_until_somebody_waits


@contextmanager
def before_commit(happens: Callable[[], object]) -> Iterator[None]:
    """Something happens when a refinement has written all and not yet committed."""

    def once(**_: object) -> None:
        talk_written.disconnect(once)
        happens()

    talk_written.connect(once)
    try:
        yield
    finally:
        talk_written.disconnect(once)


@pytest.mark.parametrize("days", [0, 7], ids=["at once", "into the trash"])
def test_all_that_is_deleted_while_it_is_refined_does_not_come_back(tenant: Tenant, days: int) -> None:
    policies = TrashPolicies(days=days, from_api=bool(days))
    change_settings(tenant.project, SETTING, policies.as_setting(), get_owner(tenant))
    task = take(begin(tenant.project))

    def delete_all() -> None:
        with tenant.api() as mine:
            answer = mine.delete(f"{tenant.url}/v1/memories/", params={"user_id": "kim"})
            assert answer.status_code == 200, answer.text

    deletions = []
    with ThreadPoolExecutor(1) as client:

        def delete_meanwhile() -> None:
            deletions.append(client.submit(delete_all))
            wait_until_somebody_waits()

        with before_commit(delete_meanwhile):
            refine_messages(task)
        deletions[0].result()

    with tenant_scope(tenant.project):
        left = Memory.objects.within(MemCube.objects.within(tenant.project)).filter(cube__owner_id="kim")
        assert list(left.values_list("text", flat=True)) == []


def test_what_was_deleted_before_it_was_refined_becomes_no_skill(tenant: Tenant) -> None:
    task = take(begin(tenant.project))
    with tenant_scope(tenant.project):
        raw = Memory.objects.within(MemCube.objects.within(tenant.project)).get(is_raw=True)
        delete_memories(tenant.project, [str(raw.pk)])
    went_on: list[object] = []

    def note(**_: object) -> None:
        went_on.append(task.pk)

    talk_written.connect(note)
    try:
        refine_messages(task)
    finally:
        talk_written.disconnect(note)

    assert went_on == []


def test_what_was_written_in_the_place_of_a_doomed_memory_meanwhile_is_deleted_with_it(
    tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Rome.")

    def memories() -> MemoryQuerySet:
        return Memory.objects.within(MemCube.objects.within(tenant.project))

    def erase_all() -> int:
        try:
            with tenant_scope(tenant.project):
                return erase_memories(tenant.project, memories())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as client:
        with tenant_scope(tenant.project):
            memory = memories().get()
            memories().filter(pk=memory.pk).delete()
            memory.pk = uuid7()
            memory.save(force_insert=True)
            erased = client.submit(erase_all)
            wait_until_somebody_waits()
        assert erased.result() == 1

    with tenant_scope(tenant.project):
        assert not memories().exists()
