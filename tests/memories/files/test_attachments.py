"""The work on a file may begin twice and die anywhere; the file goes with what it belongs to, wherever it lies."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.utils import timezone

from memories import tasks
from memories.engine.client.chat import ChatModel
from memories.engine.client.http_json import Provider
from memories.files import storage
from memories.files.describe import RemoteDescriber
from memories.files.message_files import drop_files_of, give_up
from memories.files.receive import Source, receive_file
from memories.ingest import attachments
from memories.ingest.attachments import Unfinished, process_attachment
from memories.jobs import outbox, sweeper
from memories.jobs.outbox import LeaseLost
from memories.jobs.retry import run_again
from memories.lifecycle.erase import erase_subject
from memories.lifecycle.orphans import sweep_files
from memories.models import Attachment, MemCube, Memory, Task
from memories.values import TaskState
from tenancy.api.uploads import LongText
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.documents import small_files
from tests.support.documents.attachment_tasks import KIM, send, take
from tests.support.servers.bucket import Bucket, files_in_bucket
from tests.support.servers.file_server import FileServer
from tests.support.servers.model_server import ModelServer, Reply, completion
from tests.support.waiting import look_until

LONG = "\n\n".join(
    f"## Rule {number}\n\nRule number {number} is that room {number} is closed." for number in range(40)
)


class PulledPlug(Exception):
    """What the tests let happen in the middle of the work."""


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def inline(text: str) -> LongText:
    return LongText.of(base64.b64encode(text.encode()).decode())


def texts(project: Project) -> list[tuple[str, str]]:
    with tenant_scope(project):
        rows = Memory.objects.within(MemCube.objects.within(project)).filter(is_rough=False)
        return sorted(rows.values_list("cube__owner_id", "text"))


def row_of(project: Project) -> Attachment:
    with tenant_scope(project):
        row: Attachment = Attachment.objects.within(project).get()
        return row


def keys_of(project: Project) -> list[str]:
    return [
        key
        for folder in storage.list_folders("messages")
        if folder.holder == project.pk
        for key in folder.keys
    ]


@contextmanager
def dying_at(statement: int) -> Iterator[None]:
    asked = [0]

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        asked[0] += 1
        if asked[0] == statement:
            raise PulledPlug
        return execute(*arguments)

    with connection.execute_wrapper(count):
        yield


def test_work_that_dies_at_any_statement_is_done_once_in_the_end(
    tenant: Tenant, stranger: Tenant, files: FileServer
) -> None:
    """Fetching, too: a file that was stored for nothing goes again."""
    url = files.serves("rules.md", b"The shed is closed.")
    process_attachment(take(send(stranger.project, url)))
    project = tenant.project
    task = send(project, url)
    statement = deaths = 0

    while Task.objects.within(project).get(pk=task.pk).state != TaskState.COMPLETED:
        statement += 1
        with dying_at(statement):
            try:
                process_attachment(take(task))
            except PulledPlug:
                deaths += 1

    assert deaths == statement - 1 > 15
    assert texts(project) == texts(stranger.project) != []
    assert keys_of(project) == [row_of(project).storage_key]


def test_two_workers_at_the_same_file_make_each_memory_once(tenant: Tenant) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    claims = [take(task), take(task)]

    def run(mine: Task) -> str:
        try:
            process_attachment(mine)
        except LeaseLost:
            return "lost"
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(2) as workers:
        assert list(workers.map(run, claims)) == ["lost", "done"]
    found = texts(tenant.project)
    assert len(found) == len(set(found)) > 1


def test_a_long_document_is_done_in_several_goes(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "RUN_SECONDS", 0.0)
    task, runs = send(tenant.project, inline(LONG)), 0

    while row_of(tenant.project).state == "waiting":
        before = row_of(tenant.project).done
        runs += 1
        try:
            process_attachment(take(task))
        except Unfinished:
            assert row_of(tenant.project).done == before + attachments.BATCH

    assert runs == 3
    rules = [text for owner, text in texts(tenant.project) if owner == "kim" and "Rule number" in text]
    assert len(rules) == 40


def test_a_document_goes_on_where_it_was_though_less_of_it_may_be_remembered_now(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "RUN_SECONDS", 0.0)
    task, never = send(tenant.project, inline(LONG)), ["Rule number 3"]
    with pytest.raises(Unfinished):
        process_attachment(take(task))

    Project.objects.filter(pk=tenant.project_id).update(settings={"extraction": {"never": never}})
    while row_of(tenant.project).state == "waiting":
        with suppress(Unfinished):
            process_attachment(take(task))

    rules = [text for owner, text in texts(tenant.project) if owner == "kim" and "Rule number" in text]
    assert len(rules) == 40


def test_a_run_that_is_over_leaves_the_task_to_the_next(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "RUN_SECONDS", 0.0)

    state = tasks.execute_task(take(send(tenant.project, inline(LONG))))

    assert state == TaskState.WAITING
    left = Task.objects.within(tenant.project).get(kind="attachment")
    assert left.attempts == left.fence - 1  # the worker may have begun the next meanwhile


def test_a_user_deleted_while_the_file_is_read_does_not_come_back(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = take(send(tenant.project, inline(LONG[:400])))
    parse = attachments.parse_stored

    def parse_meanwhile(*arguments: Any) -> Any:
        erase_subject(tenant.project, KIM)
        return parse(*arguments)

    monkeypatch.setattr(attachments, "parse_stored", parse_meanwhile)
    tasks.execute_task(task)
    tasks.execute_task(take(task))

    assert texts(tenant.project) == []
    assert keys_of(tenant.project) == []


def test_a_file_that_is_gone_fails_its_task(tenant: Tenant) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    storage.delete_files([row_of(tenant.project).storage_key])

    assert tasks.execute_task(take(task)) == TaskState.FAILED
    assert row_of(tenant.project).error_code == "40001"


def test_what_was_said_of_a_picture_goes_with_its_messages_words(tenant: Tenant) -> None:
    send(tenant.project, inline(LONG[:400]))
    told = {"text": "A brown dog swims.", "by": "sees", "trouble": ""}
    with tenant_scope(tenant.project):
        rows = Attachment.objects.within(tenant.project)
        rows.update(facts={"width": 20, "described": told})
        drop_files_of(tenant.project, list(rows.values_list("message_id", flat=True)))

    row = row_of(tenant.project)
    assert row.facts == {"width": 20, "described": told | {"text": ""}}
    assert (row.storage_key, row.url) == ("", "")


def shown(project: Project) -> list[str]:
    with tenant_scope(project):
        rows = Memory.objects.within(MemCube.objects.within(project)).filter(is_rough=False)
        return [f"{row.text} ({row.extracted_by})" for row in rows]


@pytest.mark.parametrize("is_well", [True, False])
def test_a_picture_is_described_once_or_known_by_its_facts(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, is_well: bool
) -> None:
    server = ModelServer(lambda body: completion("A brown dog swims.") if is_well else Reply(401))
    model = RemoteDescriber(ChatModel(Provider(server.url, f"sk-{is_well}"), "sees", 300), 2.0)
    monkeypatch.setattr(attachments, "describer", lambda: model)
    picture = base64.b64encode(small_files.png(20, 10)).decode()
    task = send(tenant.project, LongText.of(f"data:image/png;base64,{picture}"), name="dog.png")
    monkeypatch.setattr(attachments, "RUN_SECONDS", 0.0)

    with pytest.raises(Unfinished):
        process_attachment(take(task))
    process_attachment(take(task))
    server.close()

    assert len(server.asked) == 1
    [said] = set(shown(tenant.project))  # the user's own, and the same in public
    assert "dog.png" in said
    assert "20 × 10 pixels" in said
    assert ("It shows: A brown dog swims. (sees)" in said) == is_well
    assert ("(local [sees: " in said) != is_well


def age(key: str, hours: float) -> None:
    then = time.time() - hours * 3600
    os.utime(storage.storage().path(key), (then, then))


def test_a_file_that_nobody_names_goes_when_it_is_a_day_old(tenant: Tenant) -> None:
    send(tenant.project, inline(LONG))
    named = row_of(tenant.project).storage_key
    lost, newborn = (
        receive_file(tenant.project, Source(text=inline("lost"), name="a.txt"), "messages").key
        for _ in range(2)
    )
    for key in (named, lost):
        age(key, 25)

    sweep_files()

    assert sorted(keys_of(tenant.project)) == sorted([named, newborn])


def test_the_files_of_a_project_that_is_gone_go_at_once(tenant: Tenant) -> None:
    gone = Project(id=uuid4(), account=tenant.project.account, name="gone")
    key = receive_file(gone, Source(text=inline("lost"), name="a.txt"), "messages").key

    sweep_files()

    assert not Path(storage.storage().path(key)).exists()


def test_other_rooms_are_not_swept(tenant: Tenant) -> None:
    key = receive_file(tenant.project, Source(text=inline("kept"), name="a.txt"), "elsewhere").key
    age(key, 25)

    sweep_files()

    assert Path(storage.storage().path(key)).exists()


def break_off(project: Project) -> None:
    with storage.keeping() as kept:
        kept.append(receive_file(project, Source(text=inline("lost"), name="a.txt"), "messages"))
        assert keys_of(project)
        raise PulledPlug


def test_what_a_request_stored_goes_when_the_request_fails(tenant: Tenant) -> None:
    with pytest.raises(PulledPlug):
        break_off(tenant.project)

    assert keys_of(tenant.project) == []


@pytest.fixture
def in_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    with files_in_bucket(monkeypatch) as running:
        yield running


def test_files_in_a_bucket_are_written_read_and_deleted(tenant: Tenant, in_bucket: Bucket) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    assert in_bucket.objects == {row_of(tenant.project).storage_key: LONG[:400].encode()}

    process_attachment(take(task))
    assert any("Rule number 1" in text for _, text in texts(tenant.project))

    erase_subject(tenant.project, KIM)
    assert in_bucket.objects == {}


def test_a_bucket_is_swept_like_a_folder(tenant: Tenant, in_bucket: Bucket) -> None:
    gone = Project(id=uuid4(), account=tenant.project.account, name="gone")
    receive_file(gone, Source(text=inline("lost"), name="a.txt"), "messages")
    send(tenant.project, inline(LONG))

    assert sweep_files() == 1

    assert list(in_bucket.objects) == [row_of(tenant.project).storage_key]


def test_while_the_bucket_is_away_nothing_is_accepted_and_no_deletion_is_held_up(
    tenant: Tenant, in_bucket: Bucket
) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    in_bucket.is_away = True

    with pytest.raises(OperationFailed):
        receive_file(tenant.project, Source(text=inline("x"), name="a.txt"), "messages")
    assert tasks.execute_task(take(task)) == TaskState.WAITING
    erase_subject(tenant.project, KIM)
    assert len(in_bucket.objects) == 1

    in_bucket.is_away = False
    assert keys_of(tenant.project) == list(in_bucket.objects)  # for the sweep to find


def end_of(task: Task) -> Task:
    """The stack sweeps too: whoever is the first."""

    def look() -> Task:
        now: Task = Task.objects.within(task.project_id).get(pk=task.pk)
        if now.finished_at is None:
            sweeper.sweep_tasks()
        return now

    return look_until(look, lambda now: now.finished_at is not None, 20)


def test_a_file_that_kills_its_workers_fails_with_its_task(tenant: Tenant) -> None:
    project = tenant.project
    task = take(send(project, inline("The shed is closed.")))
    long_ago = timezone.now() - outbox.LEASE
    Task.objects.within(project).filter(pk=task.pk).update(
        crashes=outbox.MAX_CRASHES - 1, lease_until=long_ago
    )

    assert end_of(task).state == TaskState.DEAD
    assert (row_of(project).state, row_of(project).error_code) == ("failed", "50002")


def test_a_file_whose_work_waited_for_days_is_read_after_all(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    Task.objects.within(project).filter(pk=task.pk).update(due_at=timezone.now() - timedelta(days=10))

    assert end_of(task).state == TaskState.COMPLETED
    assert row_of(project).state == "completed"


def test_a_file_whose_last_attempt_breaks_fails_with_its_task(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    Task.objects.within(project).filter(pk=task.pk).update(payload={"attachment": str(task.subject)})
    mine = take(task)
    mine.attempts = outbox.MAX_ATTEMPTS

    assert tasks.execute_task(mine) == TaskState.DEAD
    assert (row_of(project).state, row_of(project).error_code) == ("failed", "50002")


def test_a_file_that_was_given_up_and_is_run_again_is_read_after_all(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    give_up(Scope.of_project(project), task.subject)
    Task.objects.within(project).filter(pk=task.pk).update(state=TaskState.DEAD)
    run_again(Task.objects.within(project).filter(pk=task.pk))

    row = look_until(lambda: row_of(project), lambda now: now.state == "completed", 20)

    assert (row.state, row.error_code, row.error_text) == ("completed", "", "")


def test_the_end_that_a_file_reached_is_not_taken_back(tenant: Tenant) -> None:
    project = tenant.project
    task = send(project, inline("The shed is closed."))
    process_attachment(take(task))

    give_up(Scope.of_project(project), task.subject)

    assert row_of(project).state == "completed"
