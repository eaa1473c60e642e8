"""Stored files of messages: swept, kept in a bucket, and given up with their tasks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connections
from django.utils import timezone

from memories import tasks
from memories.files import storage
from memories.files.message_files import give_up
from memories.files.receive import FileSource, receive_file
from memories.ingest.attachments import process_attachment
from memories.jobs import outbox, retry, sweeper
from memories.jobs.rerun_failed_tasks import run_again
from memories.lifecycle.erase_subject import erase_subject
from memories.lifecycle.orphaned_message_files import sweep_files
from memories.models import Task
from memories.values import TaskState
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import Scope
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.documents.attachment_rows import (
    LONG,
    get_attachment,
    inline,
    list_stored_keys,
    texts,
)
from tests.support.documents.attachment_tasks import KIM, send, take
from tests.support.servers.bucket import Bucket, files_in_bucket
from tests.support.tasks.crashes import SimulatedFailure
from tests.support.waiting import look_until


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def age(key: str, hours: float) -> None:
    then = time.time() - hours * 3600
    os.utime(storage.get_storage().path(key), (then, then))


def test_a_file_that_nobody_names_goes_when_it_is_a_day_old(tenant: Tenant) -> None:
    send(tenant.project, inline(LONG))
    named = get_attachment(tenant.project).storage_key
    lost, newborn = (
        receive_file(tenant.project, FileSource(text=inline("lost"), name="a.txt"), "messages").key
        for _ in range(2)
    )
    for key in (named, lost):
        age(key, 25)

    sweep_files()

    assert sorted(list_stored_keys(tenant.project)) == sorted([named, newborn])


def test_the_files_of_a_project_that_is_gone_go_at_once(tenant: Tenant) -> None:
    gone = Project(id=uuid4(), account=tenant.project.account, name="gone")
    key = receive_file(gone, FileSource(text=inline("lost"), name="a.txt"), "messages").key

    sweep_files()

    assert not Path(storage.get_storage().path(key)).exists()


def test_other_rooms_are_not_swept(tenant: Tenant) -> None:
    key = receive_file(tenant.project, FileSource(text=inline("kept"), name="a.txt"), "elsewhere").key
    age(key, 25)

    sweep_files()

    assert Path(storage.get_storage().path(key)).exists()


def break_off(project: Project) -> None:
    with storage.delete_uncommitted_files() as kept:
        kept.append(receive_file(project, FileSource(text=inline("lost"), name="a.txt"), "messages"))
        assert list_stored_keys(project)
        raise SimulatedFailure


def test_what_a_request_stored_goes_when_the_request_fails(tenant: Tenant) -> None:
    with pytest.raises(SimulatedFailure):
        break_off(tenant.project)

    assert list_stored_keys(tenant.project) == []


@pytest.fixture
def in_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    with files_in_bucket(monkeypatch) as running:
        yield running


def test_files_in_a_bucket_are_written_read_and_deleted(tenant: Tenant, in_bucket: Bucket) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    assert in_bucket.objects == {get_attachment(tenant.project).storage_key: LONG[:400].encode()}

    process_attachment(take(task))
    assert any("Rule number 1" in text for _, text in texts(tenant.project))

    erase_subject(tenant.project, KIM)
    assert in_bucket.objects == {}


def test_a_bucket_is_swept_like_a_folder(tenant: Tenant, in_bucket: Bucket) -> None:
    gone = Project(id=uuid4(), account=tenant.project.account, name="gone")
    receive_file(gone, FileSource(text=inline("lost"), name="a.txt"), "messages")
    send(tenant.project, inline(LONG))

    assert sweep_files() == 1

    assert list(in_bucket.objects) == [get_attachment(tenant.project).storage_key]


def test_while_the_bucket_is_away_nothing_is_accepted_and_no_deletion_is_held_up(
    tenant: Tenant, in_bucket: Bucket
) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    in_bucket.is_away = True

    with pytest.raises(OperationFailed):
        receive_file(tenant.project, FileSource(text=inline("x"), name="a.txt"), "messages")
    assert tasks.execute_task(take(task)) == TaskState.WAITING
    erase_subject(tenant.project, KIM)
    assert len(in_bucket.objects) == 1

    in_bucket.is_away = False
    assert list_stored_keys(tenant.project) == list(in_bucket.objects)  # for the sweep to find


def wait_for_end(task: Task) -> Task:
    """The stack sweeps too: whichever is first."""

    def look() -> Task:
        now: Task = Task.objects.within(task.project_id).get(pk=task.pk)
        if now.finished_at is None:
            sweeper.sweep_tasks()
        return now

    return look_until(look, lambda now: now.finished_at is not None)


def test_a_file_that_kills_its_workers_fails_with_its_task(tenant: Tenant) -> None:
    project = tenant.project
    task = take(send(project, inline("The shed is closed.")))
    long_ago = timezone.now() - outbox.LEASE
    Task.objects.within(project).filter(pk=task.pk).update(
        crashes=retry.MAX_CRASHES - 1, lease_until=long_ago
    )

    assert wait_for_end(task).state == TaskState.DEAD
    assert (get_attachment(project).state, get_attachment(project).error_code) == ("failed", "50002")


def test_a_file_whose_work_waited_for_days_is_read_after_all(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    Task.objects.within(project).filter(pk=task.pk).update(due_at=timezone.now() - timedelta(days=10))

    assert wait_for_end(task).state == TaskState.COMPLETED
    assert get_attachment(project).state == "completed"


def test_a_file_whose_last_attempt_breaks_fails_with_its_task(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    Task.objects.within(project).filter(pk=task.pk).update(payload={"attachment": str(task.subject)})
    mine = take(task)
    mine.attempts = retry.MAX_ATTEMPTS

    assert tasks.execute_task(mine) == TaskState.DEAD
    assert (get_attachment(project).state, get_attachment(project).error_code) == ("failed", "50002")


def test_a_file_that_was_given_up_and_is_run_again_is_read_after_all(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    give_up(Scope.of_project(project), task.subject)
    Task.objects.within(project).filter(pk=task.pk).update(state=TaskState.DEAD)
    run_again(Task.objects.within(project).filter(pk=task.pk))

    row = look_until(lambda: get_attachment(project), lambda now: now.state == "completed")

    assert (row.state, row.error_code, row.error_text) == ("completed", "", "")


def test_the_end_that_a_file_reached_is_final(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    process_attachment(take(task))

    give_up(Scope.of_project(project), task.subject)

    assert get_attachment(project).state == "completed"
