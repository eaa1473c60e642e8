"""A run that is broken off, begun again, or overtaken writes each lesson once, and nothing that is gone."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from acontext import AcontextClient
from django.db import OperationalError, connection

from memories.jobs import outbox
from memories.models import Task
from skills.learning.learn import learn
from skills.models import LearningSpace, SkillVersion
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.skills.learning_task import lesson_states, load_state, task_in_hand
from tests.support.skills.lessons import attached, facts, pages, shelf, success
from tests.support.waiting import wait_until

GUS = facts("The user's name is Gus.")
METHOD = success("Deploy the order service", "Take a backup before the release.", "Releases with a migration")


def versions(tenant: Tenant, agent: AcontextClient, space: Any) -> int:
    ids = [skill.id for skill in agent.learning_spaces.list_skills(space.id)]
    project = tenant.project
    with tenant_scope(project):
        return int(SkillVersion.objects.within(project.account_id).filter(skill__in=ids).count())


def breaking_at(number: int) -> Callable[..., Any]:
    """Lets the database go away at the statement of this number."""
    seen = itertools.count(1)

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if next(seen) == number:
            raise OperationalError("gone")
        return execute(sql, params, many, context)

    return wrapper


def test_a_run_that_breaks_at_any_statement_writes_nothing_and_then_everything_once(
    tenant: Tenant, agent: AcontextClient
) -> None:
    space, session = attached(agent)
    task = task_in_hand(tenant, space, session, GUS, METHOD)
    before = versions(tenant, agent, space)

    for number in itertools.count(random.randint(1, 3), 3):  # each third of them, since a run thinks too
        assert number < 300
        try:
            with connection.execute_wrapper(breaking_at(number)):
                learn(task)
            break
        except OperationalError:
            assert load_state(tenant, task) == "running"
            assert set(lesson_states(tenant, space.id)) <= {"waiting", "writing"}
    assert versions(tenant, agent, space) == before + 3
    assert load_state(tenant, task) == "completed"
    assert lesson_states(tenant, space.id) == ["written", "written"]
    skills = shelf(agent, space)
    assert skills["user-general-facts"]["personal-info.md"].count("Gus") == 1
    assert skills["deployment-operations"]["methods.md"].count("Take a backup") == 1


def test_a_run_whose_claim_somebody_else_has_writes_nothing(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    task = task_in_hand(tenant, space, session, GUS)
    Task.objects.within(tenant.project).filter(pk=task.pk).update(fence=2)

    with pytest.raises(outbox.LeaseLost):
        learn(task)
    assert pages(agent, space, "user-general-facts") == {}


def test_a_space_that_is_gone_is_not_learned_into(tenant: Tenant, agent: AcontextClient) -> None:
    space, session = attached(agent)
    task = task_in_hand(tenant, space, session, GUS)
    project = tenant.project
    with tenant_scope(project):
        LearningSpace.objects.within(project).filter(pk=space.id).delete()

    learn(task)
    assert load_state(tenant, task) == "completed"


def test_at_most_five_lessons_are_written_in_a_run_and_the_rest_in_the_next(
    tenant: Tenant, agent: AcontextClient
) -> None:
    space, session = attached(agent)
    task = task_in_hand(
        tenant, space, session, *[facts(f"The user owns {number + 2} bikes.") for number in range(7)]
    )
    learn(task)

    wait_until(lambda: lesson_states(tenant, space.id) == ["written"] * 7)
    done = Task.objects.within(tenant.project).filter(subject=space.id).order_by("created_at")
    wait_until(lambda: [row.state for row in done.all()] == ["completed"] * 2)
    assert [row.result["lessons"] for row in done.all()] == [5, 2]
