"""The work on a file may begin twice and die anywhere; the file goes with what it belongs to, wherever it lies."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.db import connections

from memories import tasks
from memories.engine.client.chat import ChatModel
from memories.engine.client.http_json import Provider
from memories.files import storage
from memories.files.describe_images import RemoteDescriber
from memories.files.message_files import drop_message_files
from memories.ingest import attachments
from memories.ingest.attachments import process_attachment
from memories.jobs.outbox import Unfinished
from memories.lifecycle.erase_subject import erase_subject
from memories.models import Attachment, MemCube, Memory, Task
from memories.values import TaskState
from tenancy.api.bodies.files_in_json import LongText
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.documents import small_files
from tests.support.documents.attachment_rows import (
    LONG,
    get_attachment,
    inline,
    list_stored_keys,
    texts,
)
from tests.support.documents.attachment_tasks import KIM, send, take
from tests.support.servers.file_server import FileServer
from tests.support.servers.model_server import ModelServer, Reply, completion
from tests.support.tasks.claims import run_at_once
from tests.support.tasks.crashes import SimulatedFailure, dying_at_change


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def test_work_that_dies_at_any_statement_is_done_once_in_the_end(
    tenant: Tenant, stranger: Tenant, files: FileServer
) -> None:
    """Fetching, too: a file that was stored for nothing goes again."""
    url = files.serves("rules.md", b"The shed is closed.")
    process_attachment(take(send(stranger.project, url)))
    project = tenant.project
    task = send(project, url)
    change = deaths = 0

    while Task.objects.within(project).get(pk=task.pk).state != TaskState.COMPLETED:
        change += 1
        with dying_at_change(change, SimulatedFailure):
            try:
                process_attachment(take(task))
            except SimulatedFailure:
                deaths += 1

    assert deaths == change - 1 > 5
    assert texts(project) == texts(stranger.project) != []
    assert list_stored_keys(project) == [get_attachment(project).storage_key]


def test_two_workers_at_the_same_file_make_each_memory_once(tenant: Tenant) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    claims = [take(task), take(task)]

    assert run_at_once(process_attachment, claims) == ["lost", "done"]
    rows = texts(tenant.project)
    assert len(rows) == len(set(rows)) > 1


def test_a_long_document_is_done_in_several_goes(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "RUN_SECONDS", 0.0)
    task, runs = send(tenant.project, inline(LONG)), 0

    while get_attachment(tenant.project).state == "waiting":
        before = get_attachment(tenant.project).done
        runs += 1
        try:
            process_attachment(take(task))
        except Unfinished:
            assert get_attachment(tenant.project).done == before + attachments.BATCH

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
    while get_attachment(tenant.project).state == "waiting":
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
    assert list_stored_keys(tenant.project) == []


def test_a_file_that_is_gone_fails_its_task(tenant: Tenant) -> None:
    task = send(tenant.project, inline(LONG[:400]))
    storage.delete_files([get_attachment(tenant.project).storage_key])

    assert tasks.execute_task(take(task)) == TaskState.FAILED
    assert get_attachment(tenant.project).error_code == "40001"


def test_what_was_said_of_a_picture_goes_with_its_messages_words(tenant: Tenant) -> None:
    send(tenant.project, inline(LONG[:400]))
    description = {"text": "A brown dog swims.", "by": "sees", "trouble": ""}
    with tenant_scope(tenant.project):
        rows = Attachment.objects.within(tenant.project)
        rows.update(facts={"width": 20, "described": description})
        drop_message_files(tenant.project, list(rows.values_list("message_id", flat=True)))

    row = get_attachment(tenant.project)
    assert row.facts == {"width": 20, "described": description | {"text": ""}}
    assert (row.storage_key, row.url) == ("", "")


def shown(project: Project) -> list[str]:
    with tenant_scope(project):
        rows = Memory.objects.within(MemCube.objects.within(project)).filter(is_raw=False)
        return [f"{row.text} ({row.extracted_by})" for row in rows]


@pytest.mark.parametrize("is_well", [True, False])
def test_a_picture_is_described_once_or_known_by_its_facts(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, is_well: bool
) -> None:
    server = ModelServer(lambda body: completion("A brown dog swims.") if is_well else Reply(401))
    model = RemoteDescriber(ChatModel(Provider(server.url, f"sk-{is_well}"), "sees", 300), 2.0)
    monkeypatch.setattr(attachments, "get_describer", lambda: model)
    picture = base64.b64encode(small_files.png(20, 10)).decode()
    task = send(tenant.project, LongText.of(f"data:image/png;base64,{picture}"), name="dog.png")
    monkeypatch.setattr(attachments, "RUN_SECONDS", 0.0)

    with pytest.raises(Unfinished):
        process_attachment(take(task))
    process_attachment(take(task))
    server.close()

    assert len(server.asked) == 1
    [text] = set(shown(tenant.project))  # the user's own, and the same in public
    assert "dog.png" in text
    assert "20 × 10 pixels" in text
    assert ("It shows: A brown dog swims. (sees)" in text) == is_well
    assert ("(local [sees: " in text) != is_well
