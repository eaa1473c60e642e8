"""A raw memory that was refined after the list was drawn: opening it shows what it became."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.ingest.accept_messages import add_messages
from memories.models import MemCube, Memory
from memories.values import NewMessage, NewMessages, OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.many_memories import hold_facts
from tests.support.waiting import wait_until


def refined(tenant: Tenant, sentence: str) -> tuple[UUID, list[Memory]]:
    """The id of the raw memory as a list showed it, and the memories that replaced it."""
    messages = (NewMessage("user", sentence, sentence, timezone.now(), ""),)
    new = NewMessages((Subject(OwnerKind.END_USER, "kim"),), "talk", messages)

    def held(**wanted: bool) -> list[Memory]:
        with tenant_scope(tenant.project):
            cubes = MemCube.objects.within(tenant.project)
            return list(Memory.objects.within(cubes).filter(**wanted).order_by("pk"))

    with tenant_scope(tenant.project):
        add_messages(tenant.project, new)
        (raw,) = Memory.objects.within(MemCube.objects.within(tenant.project))
    wait_until(lambda: not held(is_raw=True))
    return raw.pk, held()


UNKNOWN = (
    "ffffffff-ffff-7fff-bfff-ffffffffffff",
    "00000000-0000-7000-8000-000000000000",
    "e677d21f-d400-7000-8000-000000000000",
)


@pytest.fixture
def owner(tenant: Tenant) -> Client:
    return sign_in_owner(tenant)


def test_the_memory_that_it_became_opens_instead(tenant: Tenant, owner: Client) -> None:
    raw, (memory,) = refined(tenant, "I live in Lisbon.")

    page = f"/p/{tenant.project_id}/memories/"
    beside_the_list = owner.get(f"{page}{raw}/", HTTP_HX_REQUEST="true")
    linked = owner.get(f"{page}{raw}/")
    opened = owner.get(f"{page}?open={raw}")

    assert "The user lives in Lisbon." in beside_the_list.content.decode()
    assert f"open={memory.pk}" in beside_the_list["HX-Push-Url"]
    assert "memory-changed" in beside_the_list["HX-Trigger"]
    assert f"open={memory.pk}" in linked["Location"]
    assert f'data-id="{memory.pk}"' in opened.content.decode()


def test_when_that_is_deleted_too_the_page_says_so_and_draws_the_list_anew(
    tenant: Tenant, owner: Client, api: Api
) -> None:
    raw, (memory,) = refined(tenant, "I live in Lisbon.")
    api.data("delete/memory", {"memory_ids": [str(memory.pk)]})

    answer = owner.get(f"/p/{tenant.project_id}/memories/{raw}/", HTTP_HX_REQUEST="true")

    assert answer.status_code == 409
    assert "This memory is no longer there." in answer.content.decode()
    assert "memory-changed" in answer["HX-Trigger"]


def test_a_strangers_raw_memory_is_found_by_nobody_else(
    tenant: Tenant, stranger: Tenant, owner: Client
) -> None:
    raw, _memories = refined(stranger, "I live in Lisbon.")

    assert owner.get(f"/p/{tenant.project_id}/memories/{raw}/").status_code == 404


def test_deleting_says_whether_the_memory_can_be_restored(tenant: Tenant, owner: Client) -> None:
    hold_facts(tenant, "kim", "The user lives in Lisbon.")
    with tenant_scope(tenant.project):
        held = Memory.objects.within(MemCube.objects.within(tenant.project))
        memory = held.get()
        dialog = f"/p/{tenant.project_id}/memories/{memory.pk}/delete/"
        lasting = owner.get(dialog).content.decode()
        held.update(is_raw=True)
    raw = owner.get(dialog).content.decode()

    assert "can be restored from the trash for 7 days" in lasting
    assert "cannot be restored" not in lasting
    assert "cannot be restored" in raw


def test_an_id_of_any_time_is_unknown(tenant: Tenant, owner: Client) -> None:
    page = f"/p/{tenant.project_id}/memories/"

    for memory in UNKNOWN:
        assert owner.get(f"{page}{memory}/").status_code == 404, memory
        assert owner.get(f"{page}?open={memory}").status_code == 404, memory
