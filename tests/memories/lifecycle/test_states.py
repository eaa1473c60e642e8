"""What people and policies do with the status of a memory, and what frozen memories are spared."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from memories.consolidation.cube_locks import lock_cube
from memories.lifecycle import states
from memories.lifecycle.states import Policies, apply_to, set_status
from memories.models import MemCube, Memory, Recall
from memories.values import MemoryStatus, OwnerKind, Subject
from tenancy.errors import InvalidParameters, MemoryUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, User
from tenancy.projects.projects import change_settings
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import write_facts
from tests.support.tasks.refine_tasks import KIM
from tests.support.waiting import LIMIT, look_until

YEAR = timedelta(days=365)


@contextmanager
def memories(tenant: Tenant) -> Iterator[Any]:
    with tenant_scope(tenant.project):
        yield Memory.objects.within(MemCube.objects.within(tenant.project))


def one(tenant: Tenant, word: str) -> Memory:
    with memories(tenant) as held:
        memory: Memory = held.prefetch_related("versions", "sources").get(text__contains=word)
        return memory


def become(tenant: Tenant, word: str, status: MemoryStatus) -> Memory:
    return set_status(tenant.project, one(tenant, word).pk, status, "ana@example.org")


def choose(tenant: Tenant, **days: int) -> Project:
    project = tenant.project
    owner = User.objects.get(email=tenant.email)
    change_settings(project, states.SETTING, Policies(**days).as_setting(), owner)
    return tenant.project


def test_an_archived_memory_is_not_recalled_until_it_is_restored(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Lisbon.")

    become(tenant, "Lisbon", MemoryStatus.ARCHIVED)
    assert api.facts("kim", "Where do I live?", relativity=0) == []
    assert api.listed("kim")["total"] == 0

    become(tenant, "Lisbon", MemoryStatus.ACTIVATED)
    assert any("Lisbon" in text for text in api.facts("kim", "Where do I live?"))


def test_every_step_is_written_down_with_who_and_why(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")

    become(tenant, "Lisbon", MemoryStatus.FROZEN)
    become(tenant, "Lisbon", MemoryStatus.FROZEN)  # again: nothing happens
    become(tenant, "Lisbon", MemoryStatus.ACTIVATED)

    memory = one(tenant, "Lisbon")
    versions = [
        (version.number, version.status, version.actor, version.reason) for version in memory.versions.all()
    ]
    assert versions == [
        (2, "frozen", "ana@example.org", "frozen became activated"),
        (1, "activated", "ana@example.org", "activated became frozen"),
    ]
    assert memory.version == 3


def test_a_frozen_memory_survives_contradiction_repetition_and_richer_words(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Lisbon.")
    before = become(tenant, "Lisbon", MemoryStatus.FROZEN)

    api.add("kim", "I live in Lisbon.", tags=["home"])
    api.add("kim", "I'm living in Lisbon, Portugal.")
    api.add("kim", "I moved to Oslo.")

    with memories(tenant) as held:
        after = held.get(pk=before.pk)
    fields = ("text", "status", "version", "tags", "valid_until", "superseded_by_id", "updated_at")
    assert [getattr(after, name) for name in fields] == [getattr(before, name) for name in fields]
    assert any("Lisbon" in text for text in api.facts("kim", "Where do I live?"))
    assert any("Oslo" in text for text in api.facts("kim", "Where do I live?"))


@pytest.mark.parametrize(
    ("through", "wanted"),
    [
        ([MemoryStatus.FROZEN], MemoryStatus.ARCHIVED),
        ([MemoryStatus.FROZEN], MemoryStatus.EXPIRED),
        ([], MemoryStatus.MERGED),
        ([], MemoryStatus.GENERATED),
        ([MemoryStatus.EXPIRED], MemoryStatus.FROZEN),
    ],
)
def test_a_step_that_a_life_does_not_have_is_refused(
    tenant: Tenant, through: list[MemoryStatus], wanted: MemoryStatus
) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")
    for status in through:
        become(tenant, "Lisbon", status)

    with pytest.raises(InvalidParameters):
        become(tenant, "Lisbon", wanted)

    assert one(tenant, "Lisbon").version == len(through) + 1


def test_what_a_person_puts_back_holds_and_what_was_learnt_meanwhile_becomes_history(
    api: Api, tenant: Tenant
) -> None:
    api.add("kim", "I live in Lisbon.")
    become(tenant, "Lisbon", MemoryStatus.ARCHIVED)
    api.add("kim", "I live in Oslo.")

    become(tenant, "Lisbon", MemoryStatus.ACTIVATED)

    listed = [item["memory_value"] for item in api.listed("kim")["memory_detail_list"]]
    assert listed == ["The user lives in Lisbon."]
    oslo = one(tenant, "Oslo")
    assert oslo.superseded_by_id == one(tenant, "Lisbon").pk
    assert [version.actor for version in oslo.versions.all()] == ["ana@example.org"]


def test_a_memory_that_was_said_again_meanwhile_stays_archived(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I have two cats.")
    archived = become(tenant, "cats", MemoryStatus.ARCHIVED)
    api.add("kim", "I have two cats.")

    with pytest.raises(InvalidParameters):
        set_status(tenant.project, archived.pk, MemoryStatus.ACTIVATED, "ana@example.org")

    assert api.listed("kim")["total"] == 1


def test_several_memories_become_one_and_go_with_it(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I play tennis with Ana.")
    api.add("kim", "I play tennis on Sundays.")
    api.add("kim", "I play tennis with Ana on Sundays.")

    with memories(tenant) as held:
        kept, merged = held.get(status=MemoryStatus.ACTIVATED), held.get(status=MemoryStatus.MERGED)
        assert merged.superseded_by_id == kept.pk
        assert kept.sources.count() == 3
    assert [item["id"] for item in api.listed("kim")["memory_detail_list"]] == [str(kept.pk)]

    api.data("delete/memory", {"memory_ids": [str(kept.pk)]})
    with memories(tenant) as held:
        assert not held.exists()


def test_nobody_changes_a_strangers_memory(tenant: Tenant, stranger: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")

    for unknown in (one(tenant, "Lisbon").pk, "no id at all"):
        with pytest.raises(MemoryUnknown):
            set_status(stranger.project, unknown, MemoryStatus.ARCHIVED, "eve@example.org")

    assert one(tenant, "Lisbon").status == "activated"


def applied(project: Project, now: datetime) -> int:
    """A cube that the worker happens to write in is left for the next round: so there is one more, a moment later."""
    return look_until(lambda: apply_to(project, now), bool, otherwise="nothing was moved")


def make_working(tenant: Tenant) -> None:
    with memories(tenant) as held:
        held.update(memory_type="WorkingMemory")


def test_working_memory_expires_and_nothing_else_does_by_default(api: Api, tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user has two cats.")
    make_working(tenant)
    api.add(
        "kim", "I live in Lisbon. I am thinking of a trip to Rome.", {"role": "assistant", "content": "Fine."}
    )

    assert apply_to(tenant.project, timezone.now() + timedelta(days=29)) == 0
    assert applied(tenant.project, timezone.now() + YEAR) == 1
    assert apply_to(tenant.project, timezone.now() + YEAR) == 0

    expired = one(tenant, "cats")
    assert expired.status == "expired"
    assert [(v.status, v.actor, v.reason) for v in expired.versions.all()] == [
        ("activated", "policy", "working memory past its time")
    ]


def test_working_memory_that_is_still_recalled_stays(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user has two cats.")
    make_working(tenant)
    memory = one(tenant, "cats")
    later = timezone.now() + timedelta(days=100)
    with tenant_scope(tenant.project):
        owner = {"account_id": memory.account_id, "project_id": memory.project_id}
        Recall.objects.create(memory=memory, last_at=later - timedelta(days=1), count=1, **owner)

    assert apply_to(tenant.project, later) == 0


def test_doubtful_memories_are_archived_and_later_expire_where_a_project_wants_that(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user has two cats.", "The user lives in Lisbon.")
    with memories(tenant) as held:
        held.filter(text__contains="cats").update(confidence=0.4)
    project = choose(tenant, archive_doubtful_days=90, expire_archived_days=365)

    assert applied(project, timezone.now() + timedelta(days=91)) == 1
    assert one(tenant, "cats").status == "archived"
    assert applied(project, timezone.now() + 2 * YEAR) == 1
    assert one(tenant, "cats").status == "expired"
    assert one(tenant, "Lisbon").status == "activated"


def test_policies_spare_what_is_frozen(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user has two cats.")
    make_working(tenant)
    become(tenant, "cats", MemoryStatus.FROZEN)

    assert apply_to(choose(tenant, archive_doubtful_days=1), timezone.now() + YEAR) == 0


def test_a_round_that_was_cut_short_goes_on(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    write_facts(tenant.project, KIM, "The user has two cats.", "The user lives in Lisbon.")
    write_facts(
        tenant.project, Subject(OwnerKind.END_USER, "lou"), "The user has a dog.", "The user lives in Oslo."
    )
    make_working(tenant)
    monkeypatch.setattr(states, "BATCH", 1)
    monkeypatch.setattr(states, "MOST", 3)

    assert applied(tenant.project, timezone.now() + YEAR) == 3
    assert applied(tenant.project, timezone.now() + YEAR) == 1
    with memories(tenant) as held:
        assert set(held.values_list("status", "version")) == {("expired", 2)}


def test_a_user_whose_memories_are_being_written_is_left_for_the_next_round(tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user has two cats.")
    make_working(tenant)
    later = timezone.now() + YEAR

    with memories(tenant) as held, ThreadPoolExecutor(1) as other:
        lock_cube(held.get().cube_id)
        assert other.submit(_apply, tenant.project, later).result(LIMIT) == 0

    assert applied(tenant.project, later) == 1


def _apply(project: Project, now: datetime) -> int:
    try:
        return apply_to(project, now)
    finally:
        connections.close_all()


def test_days_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidParameters):
        Policies(expire_working_days=-1).as_setting()
    with pytest.raises(InvalidParameters):
        Policies(archive_doubtful_days=100_000).as_setting()
