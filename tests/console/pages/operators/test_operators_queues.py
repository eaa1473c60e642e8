"""Operators: the work of all accounts, and what failed of it."""

from __future__ import annotations

import re
from datetime import timedelta
from html import escape, unescape

import pytest
from django.db import connections, transaction
from django.utils import timezone

from memories.jobs import monitoring
from memories.models import Task
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.console.operators import done_by_operators, failed_task, operator_client
from tests.support.waiting import wait_until


def load_state(tenant: Tenant, task: object) -> tuple[str, int]:
    with tenant_scope(tenant.project):
        row = Task.objects.within(tenant.project).get(pk=task)
    return row.state, row.attempts


def test_failed_work_is_found_with_its_cause_and_without_anybodys_words(tenant: Tenant) -> None:
    task = failed_task(
        tenant.project, error_text="I live in Lisbon.", payload={"said": "Lisbon"}, result={"step": "Lisbon"}
    )
    operator = operator_client()

    page = operator.get("/admin/queues/", {"kind": "purge", "code": "too_old"}).content.decode()
    row = operator.get(f"/admin/memories/task/{task}/change/").content.decode()

    assert str(task) in page
    assert escape(tenant.project.account.name) in page
    assert "It was given up after three days, by a version before 0.2." in page
    assert "Lisbon" not in page + row


def test_one_failed_task_runs_again_and_the_account_can_read_who_did_it(tenant: Tenant) -> None:
    task, other = failed_task(tenant.project), failed_task(tenant.project)
    operator = operator_client()

    answer = operator.post("/admin/queues/run-again/", {"only": task, "task": [other]})

    (entry,) = done_by_operators(tenant.project.account)
    assert answer.status_code == 302
    assert load_state(tenant, task)[0] != "dead"
    assert load_state(tenant, other) == ("dead", 5)
    assert (entry.action, entry.object_id, entry.project_id) == (
        "task.run_again",
        str(task),
        tenant.project.pk,
    )
    assert entry.detail["before"] == {
        "kind": "purge",
        "state": "dead",
        "error_code": "too_old",
        "attempts": 5,
    }


def test_chosen_tasks_of_several_accounts_run_again_each_with_its_entry(
    tenant: Tenant, stranger: Tenant
) -> None:
    mine, theirs = failed_task(tenant.project), failed_task(stranger.project, state="failed")
    operator = operator_client()

    operator.post("/admin/queues/run-again/", {"task": [mine, theirs, "no id", tenant.project_id]})
    operator.post("/admin/queues/run-again/", {"task": [mine, theirs]})

    for owner, task in ((tenant, mine), (stranger, theirs)):
        assert [entry.object_id for entry in done_by_operators(owner.project.account)][:1] == [str(task)]


def test_work_of_an_account_as_a_whole_runs_again_too(tenant: Tenant) -> None:
    task = failed_task(tenant.project, project=None, kind="erase")
    operator = operator_client()

    page = operator.get("/admin/queues/", {"code": "too_old"}).content.decode()
    operator.post("/admin/queues/run-again/", {"only": task})

    (entry,) = done_by_operators(tenant.project.account)
    assert str(task) in page
    assert (entry.object_id, entry.project_id) == (str(task), None)


def test_the_list_of_tasks_runs_again_too(tenant: Tenant) -> None:
    task = failed_task(tenant.project)
    operator = operator_client()

    operator.post("/admin/memories/task/", {"action": "run_again", "_selected_action": [task]})

    assert [entry.object_id for entry in done_by_operators(tenant.project.account)] == [str(task)]


def test_no_more_tasks_run_again_at_once_than_a_page_shows(tenant: Tenant) -> None:
    tasks = [failed_task(tenant.project) for _ in range(51)]
    body = {"action": "run_again", "_selected_action": tasks[:1], "select_across": "1"}

    page = operator_client().post(f"/admin/memories/task/?q={tenant.project_id}", body, follow=True)

    assert "Choose at most 50 at once." in page.content.decode()
    assert done_by_operators(tenant.project.account) == []


def test_a_task_is_found_by_its_id_or_its_projects(tenant: Tenant, stranger: Tenant) -> None:
    task, other = failed_task(tenant.project), failed_task(stranger.project)
    operator = operator_client()

    for words in (task, tenant.project_id):
        page = operator.get("/admin/memories/task/", {"q": words}).content.decode()
        assert (str(task) in page, str(other) in page) == (True, False)
    assert str(task) not in operator.get("/admin/memories/task/", {"q": str(task)[:8]}).content.decode()


@pytest.mark.parametrize(
    ("statement", "values", "index"),
    [
        (monitoring.ENDED, ["", "", "", "", None, None, None, 50], "task_ended_badly"),
        (monitoring.ENDED_BADLY, None, "task_ended_badly"),
        (monitoring.FINISHED, None, "task_completed"),
    ],
)
def test_what_ended_is_found_without_reading_every_task(
    stack: object, statement: str, values: list[object] | None, index: str
) -> None:
    with transaction.atomic("sweep"), connections["sweep"].cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {statement}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert index in plan


def test_how_much_waits_and_for_how_long_is_told_by_kind(tenant: Tenant) -> None:
    later = timezone.now() + timedelta(days=1)
    failed_task(tenant.project, kind="learn", state="waiting", due_at=later, error_code="")
    operator = operator_client()

    page = operator.get("/admin/queues/").content.decode()

    assert "learn" in page
    assert "waiting" in page


def test_a_cursor_that_was_tampered_with_is_the_first_page() -> None:
    operator = operator_client()

    for after in ("x", "2026-01-01T00:00:00+00:00~x", "~", "2026-01-01T00:00:00+00:00~"):
        assert operator.get("/admin/queues/", {"after": after}).status_code == 200, after


def test_older_failures_are_on_the_next_page(tenant: Tenant) -> None:
    tasks = [failed_task(tenant.project, error_code="many") for _ in range(55)]
    operator = operator_client()

    first = operator.get("/admin/queues/", {"code": "many"}).content.decode()
    (older,) = re.findall(r'href="([^"]+)" rel="next"', first)
    second = operator.get(unescape(older)).content.decode()

    assert len(shown(first)) == 50
    assert [*shown(first), *shown(second)] == [str(task) for task in reversed(tasks)]


def shown(page: str) -> list[str]:
    return re.findall(r'name="only" value="([0-9a-f-]{36})"', page)


def test_what_runs_again_is_done(tenant: Tenant) -> None:
    with tenant.api() as api:
        api.add("kim", "I live in Lisbon.")
    with tenant_scope(tenant.project):
        task = Task.objects.within(tenant.project).filter(kind="refine").latest("created_at")
        Task.objects.within(tenant.project).filter(pk=task.pk).update(
            state="dead", error_code="KeyError", finished_at=task.created_at
        )

    operator_client().post("/admin/queues/run-again/", {"only": task.pk})

    wait_until(lambda: load_state(tenant, task.pk)[0] == "completed")
