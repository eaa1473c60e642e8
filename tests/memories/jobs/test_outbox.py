"""The task row is the job: even if notifications or workers fail, it is done once, in order, or fails in words."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections, transaction
from django.utils import timezone

from memories import tasks
from memories.cubes.access import provide_cube
from memories.jobs import outbox, retry, sweeper
from memories.jobs.claims import AccountTurns, claim_next, claim_task
from memories.jobs.outbox import LeaseLost
from memories.jobs.rerun_failed_tasks import run_again
from memories.models import MemCube, Task
from memories.models.task import OPEN_STATES
from memories.values import OwnerKind, Queue, Subject, TaskKind, TaskState
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.tasks.claims import claiming_only
from tests.support.waiting import LIMIT, look_until, wait_until

LONG_AGO = timedelta(hours=80)
NewTask = Callable[..., Task]


@pytest.fixture
def cube(tenant: Tenant) -> Iterator[MemCube]:
    with tenant_scope(tenant.project):
        made = provide_cube(tenant.project, Subject(OwnerKind.END_USER, "kim"))
    yield made
    # What a test left running would keep its lease for a minute, and the stack's worker from the next test's.
    Task.objects.within(tenant.project).filter(state__in=OPEN_STATES).update(state=TaskState.DEAD)
    connections.close_all()


@pytest.fixture
def new_task(cube: MemCube) -> NewTask:
    def make(**fields: Any) -> Task:
        """A task with nothing to do. It counts as announced and as held back, however long the test takes, so that the
        stack's own sweeper and its workers leave it to the test."""
        task: Task = Task.objects.create(
            account_id=cube.account_id,
            project_id=cube.project_id,
            dedupe_key=uuid4().hex,
            payload={"intake": str(uuid4()), "rough": None, "epoch": 0},
            **{
                "kind": TaskKind.REFINE,
                "subject": cube.pk,
                "announced_at": timezone.now() + timedelta(hours=1),
                "is_held_back": True,
            }
            | fields,
        )
        return task

    return make


def fresh(task: Task) -> Task:
    fresh_task: Task = Task.objects.within(task.project_id).get(pk=task.pk)
    return fresh_task


def change(task: Task, **fields: Any) -> Task:
    Task.objects.within(task.project_id).filter(pk=task.pk).update(**fields)
    return fresh(task)


def expire(task: Task) -> None:
    change(task, lease_until=timezone.now() - timedelta(seconds=1))


def wait_for(task: Task, *states: TaskState, seconds: float = LIMIT) -> Task:
    return look_until(lambda: fresh(task), lambda now: now.state in states, seconds)


def do_by(announced: Task, awaited: Task) -> None:
    """A worker hears of the one until the other is done: others of the installation may have their turn before."""

    def is_done() -> bool:
        if fresh(announced).state != TaskState.COMPLETED:
            tasks.run_next_task(str(announced.pk))
        return fresh(awaited).state == TaskState.COMPLETED

    wait_until(is_done)


def claimed(task: Task, worker: str = "one") -> Task:
    mine = claim_task(task.pk, worker)
    assert mine is not None
    return mine


def test_one_worker_of_many_gets_the_task(new_task: NewTask) -> None:
    task = new_task()

    def rival(number: int) -> Task | None:
        try:
            return claim_task(task.pk, f"rival {number}")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as rivals:
        winners = [got for got in rivals.map(rival, range(8)) if got]

    assert len(winners) == 1
    assert (fresh(task).state, fresh(task).fence) == (TaskState.RUNNING, 1)


def test_a_notification_only_hints(new_task: NewTask) -> None:
    """Sent twice, late, or for what never was: nothing happens that had not happened already."""
    task = new_task()
    do_by(task, task)
    done = fresh(task)

    tasks.run_next_task(str(task.pk))
    tasks.run_next_task(str(uuid4()))

    assert done.state == TaskState.COMPLETED
    assert (fresh(task).fence, fresh(task).attempts) == (1, 1)
    assert fresh(task).finished_at == done.finished_at


def test_who_lost_the_lease_cannot_write_any_more(new_task: NewTask) -> None:
    task = new_task()
    first = claimed(task, "sleepy")
    expire(task)
    second = claimed(task, "awake")

    with pytest.raises(LeaseLost):
        outbox.complete(first, {"by": "sleepy"})
    retry.postpone_task(first, "late")
    retry.fail_task(first, "late")
    assert fresh(task).state == TaskState.RUNNING

    outbox.complete(second, {"by": "awake"})
    assert second.fence == first.fence + 1
    assert fresh(task).result == {"by": "awake"}


def test_the_lease_lasts_as_long_as_the_work(new_task: NewTask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "RENEW_SECONDS", 0.05)
    mine = claimed(new_task())
    # Not over yet: the installation's own sweeper would take it first, now and then.
    change(mine, lease_until=timezone.now() + timedelta(seconds=20))

    def is_renewed() -> bool:
        until = fresh(mine).lease_until
        return until is not None and until > timezone.now() + timedelta(seconds=50)

    with outbox.lease(mine):
        wait_until(is_renewed)


def test_later_words_of_a_user_wait_for_earlier_ones(new_task: NewTask) -> None:
    earlier, later = new_task(), new_task()

    assert claim_task(later.pk, "eager") is None
    retry.postpone_task(claimed(earlier), "not_yet", delay=60)
    assert claim_task(later.pk, "eager") is None

    change(earlier, state=TaskState.DEAD)
    assert claim_task(later.pk, "eager") is not None


def test_another_users_words_wait_for_nobody(new_task: NewTask) -> None:
    new_task()
    other = new_task(subject=uuid4())

    assert claim_task(other.pk, "eager") is not None


def test_a_worker_goes_on_with_what_waited(new_task: NewTask) -> None:
    waiting = [new_task() for _ in range(4)]

    do_by(waiting[0], waiting[-1])

    assert {fresh(task).state for task in waiting} == {TaskState.COMPLETED}


def test_retries_spread_out_and_end(new_task: NewTask) -> None:
    delays = []
    for _ in range(20):
        task = change(claimed(new_task(subject=uuid4())), attempts=3)
        retry.postpone_task(task, "flaky")
        delays.append((fresh(task).due_at - timezone.now()).total_seconds())

    assert 0 - 1 < min(delays) < max(delays) <= retry.BACKOFF_BASE * 2**3
    assert max(delays) - min(delays) > 2

    last = change(claimed(new_task(subject=uuid4())), attempts=retry.MAX_ATTEMPTS)
    assert retry.postpone_task(last, "flaky") == TaskState.DEAD
    assert (fresh(last).public_status, fresh(last).error_code) == ("failed", "flaky")


def test_a_task_that_kills_its_workers_is_buried(new_task: NewTask) -> None:
    task = new_task()
    for _ in range(retry.MAX_CRASHES):
        mine = claim_task(task.pk, "doomed")
        if mine is not None:
            expire(mine)

    assert fresh(task).crashes == retry.MAX_CRASHES - 1
    wait_for(task, TaskState.DEAD)
    assert fresh(task).error_code == "worker_lost"


def test_a_lost_notification_is_sent_again(new_task: NewTask) -> None:
    task = new_task(announced_at=None, created_at=timezone.now() - timedelta(seconds=3))

    sweeper.sweep_tasks()

    wait_for(task, TaskState.COMPLETED)


def test_a_dead_workers_task_is_done_by_another(new_task: NewTask) -> None:
    task = new_task()
    expire(claimed(task))

    done = wait_for(task, TaskState.COMPLETED)

    assert (done.crashes, done.fence) == (1, 2)


def test_who_was_killed_here_need_not_be_waited_for(new_task: NewTask) -> None:
    """The lease of a minute is for workers elsewhere: whether a process lives here can be looked up."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    task = claimed(new_task(), f"{tasks.get_worker_family(gone.pid)}{gone.pid}")
    other = claimed(new_task(subject=uuid4()), f"elsewhere:{gone.pid}:{gone.pid}")

    done = wait_for(task, TaskState.COMPLETED)

    assert (done.crashes, done.fence) == (1, 2)
    assert fresh(other).state == TaskState.RUNNING


def test_a_worker_that_is_asked_to_stop_gives_its_tasks_back(new_task: NewTask) -> None:
    """A restart is neither an attempt nor a crash."""
    task = claimed(new_task(created_at=timezone.now() - timedelta(seconds=3)), "host:1:2")
    kept = claimed(new_task(subject=uuid4()), "host:11:3")

    outbox.release_all("host:1:")
    sweeper.sweep_tasks()

    assert fresh(kept).state == TaskState.RUNNING
    done = wait_for(task, TaskState.COMPLETED)
    assert (done.crashes, done.attempts) == (0, 1)


def test_an_operator_runs_dead_tasks_again_however_old(new_task: NewTask) -> None:
    then = timezone.now() - LONG_AGO
    forgotten = new_task(
        created_at=then, due_at=then, state=TaskState.DEAD, finished_at=then, attempts=5, crashes=3
    )

    assert run_again(Task.objects.within(forgotten.project_id).filter(pk=forgotten.pk)) == 1

    done = wait_for(forgotten, TaskState.COMPLETED, TaskState.DEAD)
    assert (done.state, done.attempts, done.crashes, done.error_code) == (TaskState.COMPLETED, 1, 0, "")
    assert run_again(Task.objects.within(forgotten.project_id)) == 0


@pytest.mark.parametrize("days", [4, 30, 400])
def test_work_that_waited_for_days_is_done_when_workers_come_back(new_task: NewTask, days: int) -> None:
    then = timezone.now() - timedelta(days=days)
    late = [new_task(created_at=then, due_at=then, announced_at=None) for _ in range(2)]

    sweeper.sweep_tasks()

    for task in late:
        assert wait_for(task, TaskState.COMPLETED, TaskState.DEAD).state == TaskState.COMPLETED


def test_work_that_is_due_for_three_days_is_reported(
    new_task: NewTask, caplog: pytest.LogCaptureFixture
) -> None:
    old = new_task(due_at=timezone.now() - LONG_AGO)
    with transaction.atomic(using=outbox.SWEEP):
        # Locked, so that no worker takes it before it is counted.
        Task.every.using(outbox.SWEEP).select_for_update().get(pk=old.pk)
        assert sweeper.report_overdue() >= 1

    [line] = [record for record in caplog.records if record.message == "tasks_overdue"]
    assert line.__dict__["oldest_hours"] >= 80


def test_workers_without_a_broker_see_what_is_to_be_done(tenant: Tenant, new_task: NewTask) -> None:
    ready, held_back = new_task(), new_task()
    abandoned = claimed(new_task(subject=uuid4()))
    later = new_task(subject=uuid4(), due_at=timezone.now() + timedelta(minutes=1))
    file = new_task(subject=uuid4(), kind=TaskKind.ATTACHMENT)

    with claiming_only(tenant):
        mine = Task.every.using(outbox.SWEEP).filter(account=ready.account_id)
        mine.filter(pk=abandoned.pk).update(lease_until=timezone.now() - LONG_AGO)
        wait_until(
            lambda: not sweeper.sweep_tasks(notifies=False) and not mine.filter(state="running").exists()
        )
        mine.update(is_held_back=False)
        keys = {task.pk for _ in range(4) if (task := claim_next(Queue.GENERAL, "one", turns=AccountTurns()))}
        files = {task.pk for _ in range(2) if (task := claim_next(Queue.FILES, "two", turns=AccountTurns()))}

    assert keys == {ready.pk, abandoned.pk}
    assert files == {file.pk}
    assert not {held_back.pk, later.pk} & keys


def has_overdue() -> bool:
    """As it looks when nobody works: in this transaction, and nowhere else, all leases are over."""
    with transaction.atomic(using=outbox.SWEEP):
        at_work = Task.every.using(outbox.SWEEP).filter(state=TaskState.RUNNING)
        at_work.update(lease_until=timezone.now() - LONG_AGO)
        is_overdue = sweeper.has_overdue(120, Queue.GENERAL)
        transaction.set_rollback(True, using=outbox.SWEEP)
    return is_overdue


def test_a_worker_is_not_called_deaf_for_tasks_that_must_wait(new_task: NewTask) -> None:
    first = change(new_task(), state=TaskState.WAITING, due_at=timezone.now() + timedelta(minutes=1))
    second = new_task(due_at=timezone.now() - timedelta(minutes=5))
    # What another test made overdue is done in a moment.
    wait_until(lambda: not has_overdue())

    with transaction.atomic(using=outbox.SWEEP):
        # Locked, so that no worker takes it in the moment before it is looked at.
        Task.every.using(outbox.SWEEP).select_for_update().get(pk=second.pk)
        change(first, state=TaskState.DEAD)

        assert has_overdue()


def test_what_is_rolled_back_was_never_asked_for(cube: MemCube) -> None:
    def ask_and_break() -> None:
        with transaction.atomic():
            outbox.write_task(cube, TaskKind.REFINE, dedupe_key="never", payload={})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask_and_break()

    assert not Task.objects.within(cube.project_id).exists()
