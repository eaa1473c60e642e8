"""The addresses of one request share one time limit: twenty slow servers cost no more than two minutes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.utils import timezone

from memories import tasks
from memories.ingest import attachments
from memories.ingest.accept_messages import add_messages
from memories.jobs import retry
from memories.models import Attachment, Intake, Task
from memories.values import NewMessage, NewMessages, OwnerKind, Subject, TaskState
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.documents.attachment_tasks import take
from tests.support.servers.file_server import FileServer, drop_by_drop, send

KIM = Subject(OwnerKind.END_USER, "kim")
RULE = b"Bins are blue."


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def ask_for(project: Project, *urls: str, talk: str = "talk") -> list[Task]:
    """One request with a message for each address; its tasks wait for the test."""
    messages = [
        NewMessage("user", [{"type": "file", "file": {"file_data": url}}], "", timezone.now(), "")
        for url in urls
    ]
    new = NewMessages((KIM,), talk, tuple(messages))
    known = set(Task.objects.within(project).values_list("pk", flat=True))
    with transaction.atomic():
        add_messages(project, new)
        mine = Task.objects.within(project).filter(kind="attachment").exclude(pk__in=known)
        mine.update(due_at=timezone.now() + timedelta(hours=1))
    return list(mine.order_by("created_at", "pk"))


def ends(project: Project) -> list[tuple[str, str]]:
    with tenant_scope(project):
        rows = Attachment.objects.within(project).order_by("created_at", "pk")
        return list(rows.values_list("state", "error_text"))


def spent(project: Project) -> int:
    with tenant_scope(project):
        return sum(Intake.objects.within(project).values_list("fetch_ms", flat=True))


def run(task: Task) -> TaskState:
    mine = take(task)
    mine.attempts = retry.MAX_ATTEMPTS
    return tasks.execute_task(mine)


def test_slow_addresses_of_a_request_use_up_its_time_and_the_rest_fail_with_the_reason(
    tenant: Tenant, files: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert attachments.FETCH_SECONDS == 120
    monkeypatch.setattr(attachments, "FETCH_SECONDS", 1.0)
    urls = [files.does("slow.txt", drop_by_drop(30)), files.serves("quick.txt", RULE)]
    slow, quick = ask_for(tenant.project, *urls)

    assert run(slow) == TaskState.FAILED
    assert run(quick) == TaskState.FAILED

    (_, first), (_, second) = ends(tenant.project)
    assert "could not fetch" in first
    assert "the addresses of this request took more than 1 seconds to fetch" in second
    assert [path for path in files.asked if urls[1].endswith(path)] == []
    assert 900 < spent(tenant.project) < 10_000


def test_a_fetch_that_is_tried_again_goes_on_with_what_is_left_of_the_time(
    tenant: Tenant, files: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "FETCH_SECONDS", 1.0)
    (task,) = ask_for(tenant.project, files.does("slow.txt", drop_by_drop(30)))

    assert tasks.execute_task(take(task)) == TaskState.WAITING
    assert tasks.execute_task(take(task)) == TaskState.FAILED

    assert "took more than 1 seconds" in ends(tenant.project)[0][1]


def test_another_request_has_a_time_of_its_own(
    tenant: Tenant, files: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "FETCH_SECONDS", 1.0)
    (slow,) = ask_for(tenant.project, files.does("slow.txt", drop_by_drop(30)))
    run(slow)

    (quick,) = ask_for(tenant.project, files.serves("quick.txt", RULE))

    assert run(quick) == TaskState.COMPLETED


def test_twenty_quick_addresses_are_all_read(tenant: Tenant, files: FileServer) -> None:
    urls = [files.does(f"{n}.txt", lambda request: send(request, 200, RULE)) for n in range(20)]

    ended = {run(task) for task in ask_for(tenant.project, *urls)}

    assert ended == {TaskState.COMPLETED}
    assert spent(tenant.project) < 60_000
