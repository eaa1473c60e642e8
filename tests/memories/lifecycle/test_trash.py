"""What a member deletes leaves recall at once, can be restored for some days, and is then gone to the last byte."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from memories.lifecycle.delete import delete_kinds
from memories.lifecycle.trash import purge_due
from memories.models import MemCube, Memory, MemorySource, MemoryVersion
from memories.models.trash_visibility import seeing_trash
from memories.settings.trash import SETTING, TrashPolicies
from memories.values import MemoryKind, OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import CACHE_SECONDS
from tenancy.models import AuditEvent, Project, RequestLog
from tenancy.models.project import ProjectQuerySet
from tenancy.projects.projects import change_settings
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Api, Tenant, message
from tests.support.knowledge.search_everything import find_places
from tests.support.tasks.many_memories import many_facts, write_facts
from tests.support.tasks.refine_tasks import KIM
from tests.support.tasks.trash import delete_into_trash, in_trash, page, wait_out
from tests.support.waiting import let_time_pass, wait_until


@pytest.fixture
def owner(tenant: Tenant) -> Iterator[Client]:
    yield sign_in_owner(tenant)
    connections.close_all()


@pytest.fixture
def admin(stack: Stack) -> str:
    return Postgres(DataFolder(stack.path)).admin_url


def find_fact(api: Api, query: str) -> dict[str, Any]:
    fact: dict[str, Any] = api.search("kim", query, relativity=0)["memory_detail_list"][0]
    return fact


def choose(tenant: Tenant, **policies: Any) -> None:
    change_settings(tenant.project, SETTING, TrashPolicies(**policies).as_setting(), get_owner(tenant))


def only(tenant: Tenant) -> ProjectQuerySet:
    return Project.objects.filter(pk=tenant.project_id)


def test_a_deleted_memory_is_found_again_when_the_deletion_is_undone(
    api: Api, tenant: Tenant, owner: Client
) -> None:
    api.add("kim", "I live in Lisbon.")
    fact = find_fact(api, "Where do I live?")

    undo = delete_into_trash(owner, tenant, fact["id"])
    assert api.facts("kim", "Where do I live?", relativity=0) == []
    assert api.listed("kim")["total"] == 0
    assert api.call(f"get/memory/{fact['id']}").json()["code"] != 0

    answer = owner.post(undo, headers={"HX-Request": "true"})
    assert "1 memory restored." in answer["HX-Trigger"]
    (row,) = api.search("kim", "Where do I live?")["memory_detail_list"]
    assert (row["id"], row["memory_value"]) == (fact["id"], fact["memory_value"])
    assert row["relativity"] == pytest.approx(fact["relativity"], abs=0.02)


def test_the_history_says_who_deleted_and_restored_it(api: Api, tenant: Tenant, owner: Client) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")

    owner.post(delete_into_trash(owner, tenant, find_fact(api, "Where do I live?")["id"]))

    with tenant_scope(tenant.project):
        memory = Memory.objects.within(MemCube.objects.within(tenant.project)).get()
        versions = [(version.status, version.reason) for version in memory.versions.order_by("number")]
        assert {version.actor for version in memory.versions.all()} == {f"member:{get_owner(tenant).pk}"}
    assert versions == [("activated", "deleted, into the trash"), ("deleted", "restored from the trash")]
    assert (memory.status, memory.version, memory.purge_at) == ("activated", 3, None)


def test_nothing_shows_what_lies_in_the_trash_but_the_trash(api: Api, tenant: Tenant, owner: Client) -> None:
    api.add("kim", "I live in Lisbon.", "I like green tea.")
    fact = find_fact(api, "Where do I live?")

    delete_into_trash(owner, tenant, fact["id"])

    drawer = owner.get(page(tenant, f"{fact['id']}/"))
    status = owner.post(page(tenant, f"{fact['id']}/status/archive/"), {"confirmed": "yes"})
    amended = api.call("update/memory", {"memory_id": fact["id"], "content": "I live in Rome."})
    assert (drawer.status_code, status.status_code) == (404, 404)
    assert amended.json()["code"] != 0
    for standing in ("", "frozen", "archived", "expired", "merged", "replaced"):
        assert b"Lisbon" not in owner.get(page(tenant, f"?standing={standing}")).content
    assert b"Lisbon" in owner.get(page(tenant, "trash/")).content
    with tenant_scope(tenant.project):
        assert (
            not Memory.objects.within(MemCube.objects.within(tenant.project)).filter(pk=fact["id"]).exists()
        )


def test_the_database_itself_hides_the_trash_whatever_is_asked(
    api: Api, tenant: Tenant, owner: Client
) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")
    key = find_fact(api, "Where do I live?")["id"]
    delete_into_trash(owner, tenant, key)

    with tenant_scope(tenant.project):
        assert count_rows_with_id(key) == 0
        with seeing_trash():
            assert count_rows_with_id(key) == 1
        with pytest.raises(ZeroDivisionError), seeing_trash():
            raise ZeroDivisionError
        assert count_rows_with_id(key) == 0


def count_rows_with_id(key: str) -> int:
    """Past all of our managers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memories_memory WHERE id = %s", [key])
        return int(cursor.fetchone()[0])


def test_what_it_had_replaced_holds_until_it_is_restored(api: Api, tenant: Tenant, owner: Client) -> None:
    api.add("kim", "I live in Beijing.")
    api.add("kim", "I moved to Shanghai.")

    (latest,) = api.listed("kim")["memory_detail_list"]

    undo = delete_into_trash(owner, tenant, latest["id"])
    (held,) = api.listed("kim")["memory_detail_list"]
    assert "Beijing" in held["memory_value"]

    owner.post(undo)
    (held,) = api.listed("kim")["memory_detail_list"]
    assert "Shanghai" in held["memory_value"]


def test_what_was_said_again_meanwhile_keeps_its_twin_in_the_trash(
    api: Api, tenant: Tenant, owner: Client
) -> None:
    api.add("kim", "I live in Lisbon.")
    undo = delete_into_trash(owner, tenant, find_fact(api, "Where do I live?")["id"])
    api.add("kim", "I live in Lisbon.", conversation_id="later")

    answer = owner.post(undo, headers={"HX-Request": "true"})

    assert "1 stays in the trash" in answer["HX-Trigger"]
    assert api.listed("kim")["total"] == 1
    assert len(in_trash(tenant)) == 1


def test_after_its_days_it_is_purged_to_the_last_byte(
    api: Api, tenant: Tenant, owner: Client, admin: str
) -> None:
    canary = f"Q{uuid4().hex[:12]}"
    api.add("kim", f"I live in {canary}town.")
    fact = find_fact(api, "Where do I live?")
    delete_into_trash(owner, tenant, fact["id"])

    wait_out(tenant, days=6)
    purge_due(only(tenant))
    assert len(in_trash(tenant)) == 1

    wait_out(tenant, days=1)
    purge_due(only(tenant))
    assert in_trash(tenant) == []
    left = find_places(admin, canary, tables="memories_")
    assert {place.partition(".")[0] for place in left} <= {"memories_message", "memories_task"}, left
    with tenant_scope(tenant.project):
        assert not MemoryVersion.objects.within(UUID(fact["id"])).exists()
        assert not MemorySource.objects.within(UUID(fact["id"])).exists()


def test_a_purge_that_breaks_off_is_gone_on_with(
    api: Api, tenant: Tenant, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_facts(
        tenant.project,
        KIM,
        "The user lives in Lisbon.",
        "The user likes green tea.",
        "The user has two cats.",
    )
    listed = api.listed("kim")
    ids = [row["id"] for row in listed["memory_detail_list"] + listed["preference_detail_list"]]
    delete_into_trash(owner, tenant, *ids)
    wait_out(tenant, days=7)
    monkeypatch.setattr("memories.lifecycle.trash.BATCH", 1)

    purge_due(only(tenant))

    assert len(ids) > 1
    assert in_trash(tenant) == []


def test_a_project_without_a_trash_deletes_at_once(api: Api, tenant: Tenant, owner: Client) -> None:
    choose(tenant, days=0)
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")

    undo = delete_into_trash(owner, tenant, find_fact(api, "Where do I live?")["id"])

    assert undo == ""
    assert in_trash(tenant) == []
    assert api.listed("kim")["total"] == 0


def test_programs_delete_for_good_unless_the_project_wants_a_trash(api: Api, tenant: Tenant) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.", "The user has two cats.")
    first, second = (row["id"] for row in api.listed("kim")["memory_detail_list"])

    api.data("delete/memory", {"memory_ids": [first]})
    assert in_trash(tenant) == []

    choose(tenant, from_api=True)
    let_time_pass(CACHE_SECONDS, "other processes cache the settings of a project")
    api.data("delete/memory", {"memory_ids": [second]})
    assert [str(memory.pk) for memory in in_trash(tenant)] == [second]
    assert api.listed("kim")["total"] == 0


def test_deleting_a_user_empties_their_trash(api: Api, tenant: Tenant, owner: Client, admin: str) -> None:
    canary = f"Q{uuid4().hex[:12]}"
    api.add("kim", f"I live in {canary}town.")
    delete_into_trash(owner, tenant, find_fact(api, "Where do I live?")["id"])

    api.data("delete/memory", {"user_id": "kim"})

    assert in_trash(tenant) == []
    assert find_places(admin, canary, tables="memories_mem") == []


def test_what_programs_delete_for_good_goes_from_the_trash_too(
    api: Api, tenant: Tenant, owner: Client
) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")
    delete_into_trash(owner, tenant, find_fact(api, "Where do I live?")["id"])

    api.data("delete/memory", {"user_id": "kim", "memory_type": "detail_factual"})

    assert in_trash(tenant) == []


def test_only_leaders_purge_and_only_after_typing_the_number(api: Api, tenant: Tenant, owner: Client) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")
    fact = find_fact(api, "Where do I live?")
    delete_into_trash(owner, tenant, fact["id"])

    asked = owner.post(page(tenant, "trash/purge/"), {"ids": [fact["id"]]})
    wrong = owner.post(page(tenant, "trash/purge/"), {"ids": [fact["id"]], "typed": "2"})
    assert (asked.status_code, wrong.status_code, len(in_trash(tenant))) == (200, 422, 1)

    owner.post(page(tenant, "trash/purge/"), {"ids": [fact["id"]], "typed": "1"})
    assert in_trash(tenant) == []
    with tenant_scope(tenant.project.account):
        actions = AuditEvent.objects.within(tenant.project.account).values_list("action", flat=True)
        assert {"memories.deleted", "memories.purged"} <= set(actions)


def test_only_what_is_asked_for_leaves_the_trash_while_all_is_selected(
    api: Api, tenant: Tenant, owner: Client
) -> None:
    """The button of one row counts alone, and a row that was unticked since is left."""
    write_facts(
        tenant.project,
        KIM,
        "The user lives in Lisbon.",
        "The user has two cats.",
        "The user likes green tea.",
    )
    ids = sorted(str(row["id"]) for row in api.listed("kim")["memory_detail_list"])
    ids += [str(row["id"]) for row in api.listed("kim")["preference_detail_list"]]
    delete_into_trash(owner, tenant, *ids)
    first, second, third = ids

    owner.post(page(tenant, "trash/restore/"), {"everything": "yes", "only": first})
    left = {str(memory.pk) for memory in in_trash(tenant)}
    asked = owner.post(page(tenant, "trash/purge/"), {"everything": "yes", "excluded": [second]}).content
    # What is deleted after the question is not purged by its answer.
    assert b'name="cutoff" value="20' in asked
    owner.post(page(tenant, "trash/purge/"), {"everything": "yes", "excluded": [second], "typed": "1"})

    assert left == {second, third}
    assert second in asked.decode()
    assert [str(memory.pk) for memory in in_trash(tenant)] == [second]


def test_a_merged_memory_goes_and_comes_back_with_the_one_that_says_it(
    api: Api, tenant: Tenant, owner: Client
) -> None:
    api.add("kim", "I have a cat.")
    api.add("kim", "I have a cat called Mimi.", conversation_id="later")
    with tenant_scope(tenant.project):
        before = list(
            Memory.objects.within(MemCube.objects.within(tenant.project))
            .order_by("pk")
            .values_list("pk", "status")
        )

    ids = (row["id"] for row in api.listed("kim")["memory_detail_list"])
    owner.post(delete_into_trash(owner, tenant, *ids))

    with tenant_scope(tenant.project):
        after = Memory.objects.within(MemCube.objects.within(tenant.project)).order_by("pk")
        assert list(after.values_list("pk", "status")) == before


def test_a_strangers_trash_is_as_if_it_were_not(
    api: Api, tenant: Tenant, owner: Client, stranger: Tenant
) -> None:
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")
    fact = find_fact(api, "Where do I live?")
    delete_into_trash(owner, tenant, fact["id"])
    theirs = sign_in_owner(stranger)

    theirs.post(page(stranger, "trash/restore/"), {"ids": [fact["id"]]})
    theirs.post(page(stranger, "trash/purge/"), {"ids": [fact["id"]], "typed": "1"})

    assert theirs.get(page(tenant, "trash/")).status_code == 404
    assert len(in_trash(tenant)) == 1


def is_logged(tenant: Tenant, endpoint: str) -> bool:
    with tenant_scope(tenant.project):
        return RequestLog.objects.within(tenant.project).filter(endpoint__contains=endpoint).exists()


def test_a_deleted_project_leaves_no_trash(api: Api, tenant: Tenant, owner: Client, admin: str) -> None:
    canary = f"Q{uuid4().hex[:12]}"
    other = tenant.project.account.projects.create(name="staging")
    api.add("kim", f"I live in {canary}town.", message("assistant", "Noted."))
    delete_into_trash(owner, tenant, find_fact(api, "Where do I live?")["id"])
    owner.get(f"/p/{other.pk}/memories/")
    wait_until(
        lambda: is_logged(tenant, "search")
    )  # the row of a request comes a moment later, and names its key

    with tenant_scope(tenant.project.account):
        tenant.project.delete()

    assert find_places(admin, canary, tables="memories_") == []


def test_the_day_of_purging_is_shown_before_it_comes(api: Api, tenant: Tenant, owner: Client) -> None:
    choose(tenant, days=3)
    write_facts(tenant.project, KIM, "The user lives in Lisbon.")

    delete_into_trash(owner, tenant, find_fact(api, "Where do I live?")["id"])

    (memory,) = in_trash(tenant)
    assert memory.purge_at is not None
    assert timedelta(days=2, hours=23) < memory.purge_at - timezone.now() < timedelta(days=3)
    assert memory.purge_at.strftime("%Y-%m-%d").encode() in owner.get(page(tenant, "trash/")).content


def test_open_pages_are_sent_how_many_memories_were_deleted(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr("console.receivers.broadcast", lambda _project, topic, **event: sent.append(event))
    many_facts(tenant, "kim", 120)

    delete_kinds(tenant.project, Subject(OwnerKind.END_USER, "kim"), [MemoryKind.FACT])

    assert {"op": "deleted", "count": 120} in sent
