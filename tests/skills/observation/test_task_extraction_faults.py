"""A reading and a distillation that break off at any statement, and are begun again by another worker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from acontext import AcontextClient
from django.db import connection
from django.utils import timezone

from tests.support.api_client import Tenant
from tests.support.skills.contract import flush
from tests.support.skills.learning_task import claim_now
from tests.support.skills.rows import list_lessons, load_planning, seen
from tests.support.skills.talks import tell
from tests.support.tasks.crashes import SimulatedFailure
from tests.support.waiting import wait_until

PLAY = """U: I prefer short answers. Refund order 17, please.
C: refund {"id": 17}
R: refund {"ok": true}
A: I refunded order 17.
U: Thanks! Anna Bell is the manager of the shop."""


@contextmanager
def bomb(statement: int) -> Any:
    """At the statement of this number, of those that change something: between two of them all deaths are alike."""
    left = statement

    def execute(run: Callable[..., Any], sql: str, *args: Any) -> Any:
        nonlocal left
        left -= not sql.startswith("SELECT")
        if left < 0:
            raise SimulatedFailure
        return run(sql, *args)

    with connection.execute_wrapper(execute):
        yield


def do_until_it_lives(task_id: Any, work: Callable[[Any], None]) -> int:
    """Kills it at its first statement, then at its second, and so on. How many it has."""
    for statement in range(400):
        task = claim_now(task_id)
        try:
            with bomb(statement):
                work(task)
        except SimulatedFailure:
            continue
        return statement
    raise AssertionError("it never came to its end")


@pytest.fixture
def session(agent: AcontextClient) -> str:
    """Attached to a space."""
    space, made = agent.learning_spaces.create(), agent.sessions.create()
    agent.learning_spaces.learn(space.id, session_id=made.id)
    return made.id


def test_a_reading_that_is_killed_anywhere_is_done_once(
    agent: AcontextClient, tenant: Tenant, session: str
) -> None:
    from memories.models import Task
    from skills.observation.task_extraction import observe

    sent = tell(tenant, session, PLAY)
    waiting = seen(tenant, lambda project: Task.objects.within(project).get(subject=session).pk)

    statements = do_until_it_lives(waiting, observe)

    assert statements > 12
    (task,) = agent.sessions.get_tasks(session).items
    assert (task.order, task.status) == (1, "success")
    assert task.data.progresses == ["Called refund(id=17)", "I refunded order 17."]
    status = agent.sessions.messages_observing_status(session)
    assert (status.observed, status.in_process, status.pending) == (len(sent), 0, 0)
    assert load_planning(tenant, session)["user_preferences"] == ["The user prefers short answers."]
    wait_until(lambda: _is_learned(tenant, session))
    assert sorted(lesson.kind for lesson in list_lessons(tenant, session)) == [
        "facts",
        "preferences",
        "success",
    ]


def test_a_distillation_that_is_killed_anywhere_gives_its_lessons_once(
    agent: AcontextClient, tenant: Tenant, session: str
) -> None:
    from skills.learning.distill import distill

    tell(tenant, session, PLAY)
    flush(agent, session)
    wait_until(lambda: _is_learned(tenant, session))
    before = len(list_lessons(tenant, session))
    again = seen(tenant, lambda project: _once_more(project, session))

    statements = do_until_it_lives(again, distill)

    assert statements > 5
    assert sorted(lesson.kind for lesson in list_lessons(tenant, session)[before:]) == ["facts", "success"]


def test_a_distillation_that_cannot_be_done_fails_the_record_and_nothing_else(
    agent: AcontextClient, tenant: Tenant, session: str
) -> None:
    from memories.models import Task
    from skills.learning.distill import distill, give_up
    from tenancy.isolation.scoping import Scope

    tell(tenant, session, PLAY)
    flush(agent, session)
    wait_until(lambda: _is_learned(tenant, session))
    before = len(list_lessons(tenant, session))
    again = seen(tenant, lambda project: _once_more(project, session))
    subject = seen(tenant, lambda project: Task.objects.within(project).get(pk=again).subject)
    assert _status(tenant, session) == "distilling"

    give_up(Scope.of_project(tenant.project), subject)

    assert _status(tenant, session) == "failed"
    distill(claim_now(again))
    assert len(list_lessons(tenant, session)) == before
    assert _status(tenant, session) == "failed"
    tell(tenant, session, "U: Thanks again!")
    flush(agent, session)
    wait_until(lambda: _is_learned(tenant, session))


def test_a_worker_that_lost_its_claim_writes_nothing(
    agent: AcontextClient, tenant: Tenant, session: str
) -> None:
    from memories.jobs.outbox import LeaseLost
    from memories.models import Task
    from skills.observation.task_extraction import observe

    tell(tenant, session, PLAY)
    waiting = seen(tenant, lambda project: Task.objects.within(project).get(subject=session).pk)
    late = claim_now(waiting)
    observe(claim_now(waiting))
    tasks = [task.id for task in agent.sessions.get_tasks(session).items]

    with pytest.raises(LeaseLost):
        observe(late)

    assert [task.id for task in agent.sessions.get_tasks(session).items] == tasks


def test_an_agent_that_never_came_back_is_not_waited_for_longer_than_its_time(
    agent: AcontextClient, tenant: Tenant, session: str
) -> None:
    from memories.models import Task
    from memories.models.task import OPEN_STATES
    from skills.models import SessionMessage
    from skills.observation.task_extraction import observe

    tell(tenant, session, 'U: Refund order 17, please.\nC: refund {"id": 17}')
    flush(agent, session)
    assert [task.status for task in agent.sessions.get_tasks(session).items] == ["running"]
    ago = timezone.now() - timedelta(seconds=31)

    def waiting(project: Any) -> Any:
        SessionMessage.objects.within(project).filter(session=session).update(created_at=ago)
        return Task.objects.within(project).get(subject=session, state__in=OPEN_STATES).pk

    observe(claim_now(seen(tenant, waiting)))

    assert [task.status for task in agent.sessions.get_tasks(session).items] == ["success"]


def test_a_session_that_is_deleted_while_it_is_read_stays_gone(
    agent: AcontextClient, tenant: Tenant, session: str
) -> None:
    from memories.models import Task
    from skills.models import SessionTask
    from skills.observation import task_extraction as reading

    tell(tenant, session, PLAY)
    waiting = seen(tenant, lambda project: Task.objects.within(project).get(subject=session).pk)
    task = claim_now(waiting)
    agent.sessions.delete(session)

    reading.observe(task)

    assert (
        seen(tenant, lambda project: SessionTask.objects.within(project).filter(session=session).count()) == 0
    )
    assert seen(tenant, lambda project: Task.objects.within(project).get(pk=waiting).state) == "completed"


def _is_learned(tenant: Tenant, session: str) -> bool:
    return _status(tenant, session) == "completed"


def _status(tenant: Tenant, session: str) -> str:
    """What anyone who asks is told."""
    from skills.sessions.records import get_learning_status, record_rows

    return str(seen(tenant, lambda project: get_learning_status(record_rows(project).get(session=session))))


def _once_more(project: Any, session: str) -> Any:
    """A distillation of the session's task that no notification was sent for."""
    from memories.models import Task
    from memories.values import TaskKind
    from skills.models import SessionTask

    row = SessionTask.objects.within(project).get(session=session, is_planning=False)
    row.distilling, row.distilled = "waiting", row.distilled + 1
    row.save()
    return Task.objects.create(
        account_id=project.account_id,
        project=project,
        kind=TaskKind.DISTILL,
        subject=row.pk,
        dedupe_key=uuid4().hex,
        payload={"turn": row.distilled},
        due_at=timezone.now() + timedelta(hours=1),
    ).pk
