"""Tasks and sessions that ended long ago are deleted; what is open, and what is still needed, stays."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connections, transaction
from django.utils import timezone

from console.sign_in import session_retention
from console.sign_in.session_retention import clear_sessions
from memories.lifecycle import task_retention
from memories.lifecycle.task_retention import clear_tasks
from memories.models import Task
from memories.values import TaskKind, TaskState
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import new_person
from tests.support.api_client import Api, Tenant


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    yield
    connections.close_all()


def task(tenant: Tenant, state: TaskState, days: float, **fields: Any) -> UUID:
    ended = timezone.now() - timedelta(days=days)
    is_open = state in {TaskState.QUEUED, TaskState.WAITING, TaskState.RUNNING}
    given: dict[str, Any] = {"project": tenant.project, "kind": TaskKind.REFINE, "subject": uuid7()}
    given |= {"due_at": timezone.now() + timedelta(days=1), "dedupe_key": str(uuid7()), "created_at": ended}
    with tenant_scope(tenant.project.account):
        row = Task.objects.create(
            account_id=tenant.project.account_id,
            state=state,
            finished_at=None if is_open else ended,
            **(given | fields),
        )
    return UUID(str(row.pk))


def is_there(tenant: Tenant, key: UUID) -> bool:
    with tenant_scope(tenant.project.account):
        return bool(Task.every.filter(pk=key).exists())


@pytest.mark.parametrize(
    ("state", "days", "stays"),
    [
        (TaskState.COMPLETED, 29, True),
        (TaskState.COMPLETED, 31, False),
        (TaskState.FAILED, 89, True),
        (TaskState.FAILED, 91, False),
        (TaskState.DEAD, 91, False),
        (TaskState.QUEUED, 400, True),
        (TaskState.WAITING, 400, True),
    ],
)
def test_a_task_is_kept_by_its_end_and_its_age(
    tenant: Tenant, state: TaskState, days: float, stays: bool
) -> None:
    key = task(tenant, state, days)

    clear_tasks()

    assert is_there(tenant, key) == stays


def test_a_task_that_is_still_to_be_refunded_stays(tenant: Tenant) -> None:
    """The worker's own round refunds within the minute, so nobody else sees this one."""
    cost = {"key": str(uuid7()), "meter": "add/message", "day": "2026-01-01", "amount": 1}
    with transaction.atomic():
        key = task(tenant, TaskState.DEAD, 200, cost=cost)
        mine = task(tenant, TaskState.DEAD, 200)
        task_retention._clear(tenant.project.account)
        stays = [is_there(tenant, one) for one in (key, mine)]

    assert stays == [True, False]


@pytest.mark.parametrize("kind", [TaskKind.PURGE, TaskKind.ERASE])
def test_a_deletion_that_failed_stays_until_it_is_taken_up_again(tenant: Tenant, kind: TaskKind) -> None:
    key = task(tenant, TaskState.DEAD, 400, kind=kind)

    clear_tasks()

    assert is_there(tenant, key)


def test_work_of_the_account_goes_as_well(tenant: Tenant) -> None:
    key = task(tenant, TaskState.COMPLETED, 31, project=None, kind=TaskKind.ERASE)

    clear_tasks()

    assert not is_there(tenant, key)


def test_a_round_takes_more_than_one_batch(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_retention, "BATCH", 3)
    keys = [task(tenant, TaskState.COMPLETED, 40) for _ in range(8)]

    clear_tasks()

    assert not any(is_there(tenant, key) for key in keys)


def test_a_status_of_a_task_that_went_is_unknown_and_its_memories_stay(tenant: Tenant, api: Api) -> None:
    done = api.add("kim", "I live in Lisbon.")
    long_ago = timezone.now() - timedelta(days=31)
    with tenant_scope(tenant.project):
        Task.objects.within(tenant.project).filter(pk=done["task_id"]).update(finished_at=long_ago)

    clear_tasks()

    assert api.call("get/status", {"task_id": done["task_id"]}).json()["code"] == 50131
    assert api.facts("kim", "Where do I live?")


def session(hours: float) -> str:
    """One that ends in so many hours, with the device that has it."""
    store = SessionStore()
    store.create()
    key = str(store.session_key)
    Session.objects.filter(pk=key).update(expire_date=timezone.now() + timedelta(hours=hours))
    UserSession.objects.create(user=new_person(), session_key=key, ip="10.0.0.1", user_agent="x")
    UserSession.objects.filter(session_key=key).update(last_seen_at=timezone.now() - timedelta(hours=2))
    return key


def test_sessions_that_ended_go_with_their_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_retention, "BATCH", 2)
    ended, live = [session(-1) for _ in range(5)], session(1)

    clear_sessions()

    assert set(Session.objects.filter(pk__in=[*ended, live]).values_list("pk", flat=True)) == {live}
    rows = UserSession.objects.filter(session_key__in=[*ended, live])
    assert set(rows.values_list("session_key", flat=True)) == {live}


def test_a_device_whose_session_was_deleted_goes_and_a_new_one_stays() -> None:
    gone, young = session(1), session(1)
    Session.objects.filter(pk__in=[gone, young]).delete()
    UserSession.objects.filter(session_key=young).update(last_seen_at=timezone.now())

    clear_sessions()

    assert set(
        UserSession.objects.filter(session_key__in=[gone, young]).values_list("session_key", flat=True)
    ) == {young}
