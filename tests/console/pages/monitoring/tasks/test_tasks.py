"""Members see the background work of their project, retry what failed and cancel what has not begun."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.jobs.rerun_failed_tasks import run_each_again
from memories.models import Task
from memories.values import TaskState
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import wait_for_log_row

MOST = 25


def new_task(tenant: Tenant, **fields: Any) -> Task:
    """A task that no worker takes: it is due in an hour."""
    shared = {"account_id": tenant.project.account_id, "project": tenant.project, "kind": "refine"}
    plain = {"subject": uuid4(), "dedupe_key": uuid4().hex, "due_at": timezone.now() + timedelta(hours=1)}
    with tenant_scope(tenant.project):
        task: Task = Task.objects.create(**shared | plain | fields)
    return task


def load_state(tenant: Tenant, task: Task) -> tuple[str, str]:
    with tenant_scope(tenant.project):
        stored_task = Task.objects.within(tenant.project).get(pk=task.pk)
    return stored_task.state, stored_task.error_code


def listed(client: Client, tenant: Tenant, query: str = "") -> set[str]:
    page = client.get(f"/p/{tenant.project_id}/tasks/?{query}").content.decode()
    return set(re.findall(r'<tr id="task-([0-9a-f-]+)"', page))


def test_each_filter_finds_its_tasks(tenant: Tenant) -> None:
    failed = new_task(
        tenant, state=TaskState.FAILED, error_code="provider_refused", finished_at=timezone.now()
    )
    dead = new_task(tenant, state=TaskState.DEAD, kind="file", finished_at=timezone.now())
    queued = new_task(tenant)
    client = sign_in_owner(tenant)

    def ids(*tasks: Task) -> set[str]:
        return {str(task.pk) for task in tasks}

    assert listed(client, tenant) == ids(failed, dead, queued)
    assert listed(client, tenant, "status=failed") == ids(failed, dead)
    assert listed(client, tenant, "status=failed&kind=file") == ids(dead)
    assert listed(client, tenant, "status=queued") == ids(queued)
    assert listed(client, tenant, "status=made-up") == ids(failed, dead, queued)
    assert listed(client, tenant, "subject=nobody") == set()


def test_a_request_and_its_task_lead_to_each_other(tenant: Tenant, api: Api) -> None:
    answer = api.call(
        "add/message",
        {
            "user_id": "kim",
            "messages": [{"role": "user", "content": "I live in Porto."}],
            "async_mode": False,
        },
    )
    task_id, request_id = answer.json()["data"]["task_id"], answer.headers["X-Request-Id"]
    wait_for_log_row(tenant.project, request_id)
    client = sign_in_owner(tenant)

    task = client.get(f"/p/{tenant.project_id}/tasks/{task_id}/").content.decode()
    log = client.get(f"/p/{tenant.project_id}/logs/{request_id}/").content.decode()

    assert f"/logs/{request_id}/" in task
    assert f"/tasks/{task_id}/" in log
    assert "Porto" in task
    assert "Attempt 1 began" in task
    assert "<code>completed</code>" in task
    assert listed(client, tenant, "subject=kim") == {task_id}


def test_a_task_leads_to_what_it_read_and_whom_it_is_about(tenant: Tenant, api: Api) -> None:
    all_messages = [
        {"role": "user", "content": "I live in Porto."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "I keep bees."},
    ]
    body = {"user_id": "kim", "conversation_id": "talk", "async_mode": False}
    both, last = (
        api.call("add/message", body | {"messages": messages}).json()["data"]["task_id"]
        for messages in (all_messages, all_messages[2:])
    )
    client = sign_in_owner(tenant)

    def load_page(task_id: str) -> str:
        return client.get(f"/p/{tenant.project_id}/tasks/{task_id}/").content.decode()

    assert "Messages 1 to 3 of the conversation talk" in load_page(both)
    assert "Message 4 of the conversation talk" in load_page(last)
    assert f'href="/p/{tenant.project_id}/users/kim/"' in load_page(last)


def test_a_task_that_reads_no_messages_shows_no_empty_cards(tenant: Tenant) -> None:
    task = new_task(tenant, kind="file", state=TaskState.COMPLETED, finished_at=timezone.now())
    page = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/tasks/{task.pk}/").content.decode()

    assert "<h2>Timeline</h2>" in page
    assert "<h2>Input</h2>" not in page
    assert "<h2>Memories</h2>" not in page


def test_only_open_tasks_say_how_far_they_are(tenant: Tenant) -> None:
    with_raw_memory = {"payload": {"rough": True}}
    new_task(tenant, **with_raw_memory)
    new_task(tenant, state=TaskState.COMPLETED, finished_at=timezone.now(), **with_raw_memory)
    client, place = sign_in_owner(tenant), f"/p/{tenant.project_id}/tasks/"

    assert "Raw memory stored" in client.get(f"{place}?status=queued").content.decode()
    assert "Raw memory stored" not in client.get(f"{place}?status=completed").content.decode()


def test_a_failed_task_says_why_and_is_retried(tenant: Tenant) -> None:
    failed = new_task(
        tenant, state=TaskState.FAILED, error_code="provider_refused", finished_at=timezone.now()
    )
    client = sign_in_owner(tenant)
    path = f"/p/{tenant.project_id}/tasks/{failed.pk}/"

    assert "The model provider refused the request." in client.get(path).content.decode()
    client.post(f"{path}retry/", {"confirmed": "yes"})

    # A worker may have done it, and failed, before it is looked at.
    assert load_state(tenant, failed)[1] != "provider_refused"


def test_retrying_all_names_their_number(tenant: Tenant, stranger: Tenant) -> None:
    for _ in range(3):
        new_task(tenant, state=TaskState.DEAD, error_code="50000", finished_at=timezone.now())
    foreign = new_task(stranger, state=TaskState.DEAD, error_code="50000", finished_at=timezone.now())
    client = sign_in_owner(tenant)
    path = f"/p/{tenant.project_id}/tasks/retry/"

    assert "Retry 3 tasks" in client.get(path).content.decode()
    client.post(path, {"confirmed": "yes"})

    assert "there is nothing to retry" in client.get(path, follow=True).content.decode()
    assert load_state(stranger, foreign)[0] == TaskState.DEAD


def test_only_what_has_not_begun_is_cancelled(tenant: Tenant) -> None:
    queued, file = new_task(tenant), new_task(tenant, kind="file")
    over = new_task(tenant, state=TaskState.COMPLETED, finished_at=timezone.now())
    client = sign_in_owner(tenant)

    for task in (queued, file, over):
        client.post(f"/p/{tenant.project_id}/tasks/{task.pk}/cancel/", {"confirmed": "yes"})

    assert load_state(tenant, queued) == (TaskState.FAILED, "cancelled")
    assert load_state(tenant, file)[0] == TaskState.QUEUED
    assert load_state(tenant, over)[0] == TaskState.COMPLETED


def test_what_was_cancelled_and_refunded_is_not_run_again(tenant: Tenant) -> None:
    task, client = new_task(tenant), sign_in_owner(tenant)
    path = f"/p/{tenant.project_id}/tasks/"
    client.post(f"{path}{task.pk}/cancel/", {"confirmed": "yes"})

    client.post(f"{path}{task.pk}/retry/", {"confirmed": "yes"})
    client.post(f"{path}retry/", {"confirmed": "yes"})

    assert run_each_again([task.pk]) == 0  # by an operator
    assert load_state(tenant, task) == (TaskState.FAILED, "cancelled")
    assert "Retry task" not in client.get(f"{path}{task.pk}/").content.decode()


def test_viewers_only_look(tenant: Tenant, stranger: Tenant) -> None:
    task = new_task(tenant, state=TaskState.FAILED, finished_at=timezone.now())
    viewer = sign_in(add_member(tenant.project.account, "viewer"))
    path = f"/p/{tenant.project_id}/tasks/{task.pk}/"

    assert viewer.get(path).status_code == 200
    assert viewer.post(f"{path}retry/").status_code == 403
    assert sign_in_owner(stranger).get(path).status_code == 404
    assert sign_in_owner(stranger).get(f"/p/{stranger.project_id}/tasks/{task.pk}/").status_code == 404


def test_the_list_asks_no_more_for_many_rows_than_for_few(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    path = f"/p/{tenant.project_id}/tasks/?status=queued"
    client.get(path)
    counts = []
    for size in (1, 60):
        for _ in range(size):
            new_task(tenant)
        with CaptureQueriesContext(connection) as asked:
            assert client.get(path).status_code == 200
        counts.append(len(asked))

    assert counts[1] <= counts[0] <= MOST
