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


def test_a_round_deletes_by_end_and_age_what_needs_nothing_more(
    tenant: Tenant, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One round for all: it goes through every account."""
    monkeypatch.setattr(task_retention, "BATCH", 3)
    ages = {
        (TaskState.COMPLETED, 29): True,
        (TaskState.COMPLETED, 31): False,
        (TaskState.FAILED, 89): True,
        (TaskState.FAILED, 91): False,
        (TaskState.DEAD, 91): False,
        (TaskState.QUEUED, 400): True,
        (TaskState.WAITING, 400): True,
    }
    tasks = {case: task(tenant, *case) for case in ages}
    # A deletion that failed is taken up again.
    deletions = [task(tenant, TaskState.DEAD, 400, kind=kind) for kind in (TaskKind.PURGE, TaskKind.ERASE)]
    of_account = task(tenant, TaskState.COMPLETED, 31, project=None, kind=TaskKind.ERASE)
    more_than_two_batches = [task(tenant, TaskState.COMPLETED, 40) for _ in range(8)]
    done = api.add("kim", "I live in Lisbon.")
    with tenant_scope(tenant.project):
        own = Task.objects.within(tenant.project).filter(pk=done["task_id"])
        own.update(finished_at=timezone.now() - timedelta(days=31))

    clear_tasks()

    assert {case: is_there(tenant, key) for case, key in tasks.items()} == ages
    assert all(is_there(tenant, key) for key in deletions)
    assert not is_there(tenant, of_account)
    assert not any(is_there(tenant, key) for key in more_than_two_batches)
    # The status of a task that was deleted is unknown, and what it remembered stays.
    assert api.call("get/status", {"task_id": done["task_id"]}).json()["code"] == 50131
    assert api.facts("kim", "Where do I live?")


def test_a_task_that_is_still_to_be_refunded_stays(tenant: Tenant) -> None:
    """The worker's own round refunds within the minute, so nobody else sees this one."""
    cost = {"key": str(uuid7()), "meter": "add/message", "day": "2026-01-01", "amount": 1}
    with transaction.atomic():
        key = task(tenant, TaskState.DEAD, 200, cost=cost)
        mine = task(tenant, TaskState.DEAD, 200)
        task_retention.clear_tasks_of(tenant.project.account)
        stays = [is_there(tenant, task_key) for task_key in (key, mine)]

    assert stays == [True, False]


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
