"""Accounts take turns: what one asks for, however much it is, does not hold up another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections, transaction
from django.test import override_settings
from django.utils import timezone

from memories.jobs import claims, outbox
from memories.jobs.claims import AccountTurns, call_next, claim_next, claim_task
from memories.models import Task
from memories.models.task import OPEN_STATES
from memories.values import Queue, TaskKind, TaskState
from tests.support.api_client import Tenant
from tests.support.tasks.claims import claiming_only
from tests.support.tenants import make_tenant

Write = Callable[..., list[Task]]
# Of a task that was announced, the sweeper reminds the workers half a minute later.
NEVER_AGAIN = timedelta(hours=1)


@pytest.fixture
def third(stack: Any) -> Tenant:
    return make_tenant(stack)


@pytest.fixture
def write(tenant: Tenant) -> Iterator[Write]:
    """Tasks with nothing to do; as held back, and announced for good, until a test lets them be claimed."""
    projects = set()

    def make(owner: Tenant, count: int, **fields: Any) -> list[Task]:
        projects.add(owner.project)
        began = timezone.now() - timedelta(minutes=5)
        rows = [
            Task(
                account_id=owner.project.account_id,
                project_id=owner.project.pk,
                dedupe_key=uuid4().hex,
                created_at=began + timedelta(milliseconds=number),
                **{
                    "kind": TaskKind.REFINE,
                    "subject": uuid4(),
                    "due_at": began + timedelta(milliseconds=number),
                    "announced_at": timezone.now() + NEVER_AGAIN,
                    "is_held_back": True,
                }
                | fields,
            )
            for number in range(count)
        ]
        return list(Task.objects.bulk_create(rows))

    yield make
    for project in projects:
        Task.objects.within(project).filter(state__in=OPEN_STATES).update(state=TaskState.DEAD)
    connections.close_all()


def accounts(count: int, queue: Queue = Queue.GENERAL, turns: AccountTurns | None = None) -> list[UUID]:
    """Whose tasks are claimed, one after the other."""
    turns = turns or AccountTurns()
    claimed = (claim_next(queue, "one", turns=turns) for _ in range(count))
    return [task.account_id for task in claimed if task is not None]


def account(owner: Tenant) -> UUID:
    key: UUID = owner.project.account_id
    return key


def test_one_task_is_claimed_before_the_second_of_three_hundred_older_ones(
    tenant: Tenant, stranger: Tenant, write: Write
) -> None:
    write(tenant, 300)
    write(stranger, 1, due_at=timezone.now() - timedelta(seconds=1))

    with claiming_only(tenant, stranger):
        order = accounts(4)

    assert order.count(account(stranger)) == 1
    assert account(stranger) in order[:2]


def test_accounts_with_due_work_take_turns(
    tenant: Tenant, stranger: Tenant, third: Tenant, write: Write
) -> None:
    everybody = (tenant, stranger, third)
    for owner in everybody:
        write(owner, 5)

    turns, order = AccountTurns(), []
    with claiming_only(*everybody):
        for _ in range(9):
            task = claim_next(Queue.GENERAL, "one", turns=turns)
            assert task is not None
            _end(task)
            order.append(task.account_id)

    assert order[:3] * 3 == order
    assert set(order) == {account(owner) for owner in everybody}


def _end(task: Task) -> None:
    Task.every.using(outbox.SWEEP).filter(pk=task.pk).update(state=TaskState.COMPLETED)


def test_an_account_with_nothing_running_comes_first(tenant: Tenant, stranger: Tenant, write: Write) -> None:
    write(tenant, 5)
    write(stranger, 5)

    with claiming_only(tenant, stranger):
        for busy, idle in ((tenant, stranger), (stranger, tenant)):
            Task.every.using(outbox.SWEEP).filter(state=TaskState.RUNNING).update(state=TaskState.WAITING)
            running = Task.every.using(outbox.SWEEP).filter(account=account(busy)).values("pk")[:1]
            Task.every.using(outbox.SWEEP).filter(pk__in=running).update(
                state=TaskState.RUNNING, lease_until=timezone.now() + outbox.LEASE
            )
            # Wherever the round goes on from.
            for last in (account(busy), account(idle)):
                turns = AccountTurns({Queue.GENERAL: last})
                with transaction.atomic(using=outbox.SWEEP):
                    assert accounts(1, turns=turns) == [account(idle)]
                    transaction.set_rollback(True, using=outbox.SWEEP)


def test_what_waits_for_an_earlier_one_of_its_user_is_looked_at_once(tenant: Tenant, write: Write) -> None:
    talk = uuid4()
    first, *later = write(tenant, 200, subject=talk)
    (other,) = write(tenant, 1, due_at=timezone.now() - timedelta(seconds=1))

    with claiming_only(tenant):
        claimed = [claim_next(Queue.GENERAL, "one", turns=AccountTurns()) for _ in range(3)]
        assert [task.pk for task in claimed if task] == [first.pk, other.pk]
        rows = Task.every.using(outbox.SWEEP).filter(subject=talk)
        assert rows.filter(is_held_back=True).count() == len(later)
        _end(first)
        assert call_next(first) == later[0].pk
        following = claim_next(Queue.GENERAL, "one", turns=AccountTurns())

    assert following is not None
    assert following.pk == later[0].pk


def test_a_claim_waits_for_no_task_that_somebody_is_changing(tenant: Tenant, write: Write) -> None:
    """Else both could wait for one another, as a member who takes a project out of the archive, and a worker."""
    first, later = write(tenant, 2, subject=uuid4())
    every = Task.every.using(outbox.SWEEP)
    every.filter(pk=later.pk).update(is_held_back=False)

    def claim() -> None:
        try:
            with transaction.atomic(using=outbox.SWEEP):
                with connections[outbox.SWEEP].cursor() as cursor:
                    cursor.execute("SET LOCAL lock_timeout = '5s'")
                # Of this account alone: a worker that another test keeps busy may be the first to claim its task.
                claims.claim_oldest(account(tenant), Queue.GENERAL, "one")
        finally:
            connections.close_all()

    with transaction.atomic(), ThreadPoolExecutor(1) as worker:
        Task.objects.within(tenant.project).select_for_update().get(pk=later.pk)
        every.filter(pk=first.pk).update(is_held_back=False)
        worker.submit(claim).result(30)

    # Its state tells less: a worker that was quicker may have given it back by now, to be tried again.
    assert every.get(pk=first.pk).fence > 0


def test_of_the_files_of_an_account_one_is_at_work_whatever_else_it_asks_for(
    tenant: Tenant, stranger: Tenant, write: Write
) -> None:
    write(tenant, 3, kind=TaskKind.ATTACHMENT)
    write(tenant, 3, kind=TaskKind.FILE)
    write(tenant, 2)
    write(stranger, 1, kind=TaskKind.FILE)

    with claiming_only(tenant, stranger):
        files, words = accounts(5, Queue.FILES), accounts(5)

    assert sorted(files) == sorted([account(tenant), account(stranger)])
    assert words == [account(tenant)] * 2


def test_two_workers_at_once_get_one_file_of_an_account(tenant: Tenant, write: Write) -> None:
    rows = write(tenant, 8, kind=TaskKind.ATTACHMENT)

    def rival(task: Task) -> Task | None:
        try:
            return claim_task(task.pk, "rival")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as rivals:
        winners = [got for got in rivals.map(rival, rows) if got]

    assert len(winners) == 1


def test_of_the_long_tasks_of_an_account_one_is_at_work_beside_its_short_ones(
    tenant: Tenant, stranger: Tenant, write: Write
) -> None:
    write(tenant, 3, is_long=True)
    write(tenant, 2)
    write(stranger, 2, is_long=True)

    with claiming_only(tenant, stranger):
        order = accounts(6)

    assert sorted(order) == sorted([account(tenant)] * 3 + [account(stranger)])


def test_an_operator_may_give_an_account_more_long_tasks(tenant: Tenant, write: Write) -> None:
    write(tenant, 3, is_long=True)

    with claiming_only(tenant), override_settings(LONG_TASKS_PER_ACCOUNT=2):
        assert accounts(3) == [account(tenant)] * 2


def test_two_workers_at_once_get_one_long_task_of_an_account(tenant: Tenant, write: Write) -> None:
    write(tenant, 8, is_long=True, is_held_back=False)

    def rival(_: int) -> Task | None:
        try:
            return claims.claim_oldest(account(tenant), Queue.GENERAL, "rival")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as rivals:
        list(rivals.map(rival, range(8)))

    # A worker of the installation may have been the first, and have done it.
    running = Task.every.using(outbox.SWEEP).filter(account=account(tenant), state=TaskState.RUNNING)
    assert running.count() <= 1


def test_the_end_of_a_long_task_calls_the_next_long_one_and_the_next_of_its_user(
    tenant: Tenant, write: Write
) -> None:
    talk = uuid4()
    first, following = write(tenant, 2, is_long=True, subject=talk)
    (other,) = write(tenant, 1, is_long=True)
    (alone,) = write(tenant, 1, is_long=True)

    with claiming_only(tenant):
        got = claim_next(Queue.GENERAL, "one", turns=AccountTurns())
        assert got is not None
        assert got.pk == first.pk
        assert claim_task(other.pk, "two", Queue.GENERAL) is None
        _end(first)
        assert call_next(first) == following.pk
        for task in (following, other):
            _end(task)
        assert call_next(other) == alone.pk


def test_a_worker_leaves_the_tasks_of_other_queues_alone(tenant: Tenant, write: Write) -> None:
    (file,) = write(tenant, 1, kind=TaskKind.ATTACHMENT)
    (words,) = write(tenant, 1)

    assert claim_task(file.pk, "one", Queue.GENERAL) is None
    assert claim_task(words.pk, "one", Queue.FILES) is None
    with claiming_only(tenant):
        general = claim_next(Queue.GENERAL, "one", otherwise=file.pk, turns=AccountTurns())
        again = claim_next(Queue.GENERAL, "one", otherwise=file.pk, turns=AccountTurns())
        files = claim_next(Queue.FILES, "one", turns=AccountTurns())

    assert general is not None
    assert (general.pk, again) == (words.pk, None)
    assert files is not None
    assert files.pk == file.pk


def test_a_notification_finds_its_task_where_no_account_has_its_turn(tenant: Tenant, write: Write) -> None:
    """As when the note that it waits is out of date."""
    (task,) = write(tenant, 1)

    with claiming_only():
        mine = claim_next(Queue.GENERAL, "one", otherwise=task.pk, turns=AccountTurns())

    assert mine is not None
    assert mine.pk == task.pk


def test_accounts_beyond_those_that_one_claim_looks_at_come_next(
    tenant: Tenant, stranger: Tenant, third: Tenant, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "MOST_ACCOUNTS", 1)
    later = timezone.now() + timedelta(hours=1)
    waiting = (tenant, stranger)
    for owner in waiting:
        write(owner, 2, due_at=later)
    write(third, 1)

    with claiming_only(tenant, stranger, third):
        assert accounts(6) == [account(third)]
