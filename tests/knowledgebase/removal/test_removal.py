"""What is deleted is gone: memories, corrections, passages, stored files; and nothing of it comes back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction

from knowledgebase.bases.bases import delete_base, load_base
from knowledgebase.files import delete_files
from knowledgebase.models import Fragment, KnowledgeBase, KnowledgeFile
from knowledgebase.processing import fetching, fragment_memories, indexing, parse_file
from knowledgebase.removal import removal
from knowledgebase.removal.sweeps import sweep_stored_files
from knowledgebase.uploads.accepted_types import FOLDER
from knowledgebase.work.reassign import reassign_tasks
from memories import tasks
from memories.consolidation.cube_locks import lock_cube
from memories.files import storage
from memories.files.receive import FileSource, receive_file
from memories.jobs import outbox
from memories.lifecycle.erase_subject import erase_subject
from memories.models import MemCube, Memory, Task
from memories.values import OwnerKind, Subject, TaskState
from tenancy.errors import KnowledgeBaseUnknown
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import User
from tests.support.api_client import Tenant
from tests.support.knowledge.files_at_work import (
    another_project,
    bring,
    bring_one,
    bytes_used,
    fresh,
    get_account_scope,
    get_latest_task,
    list_files,
    list_stored_keys,
    make_base,
    put_off,
    settle,
    take,
    texts,
    work_on,
)
from tests.support.servers.file_server import FileServer
from tests.support.tasks.crashes import SimulatedKill, dying_at_change
from tests.support.waiting import LIMIT, wait_until_somebody_waits

POLICY = b"# Travel\n\nTrains are first class.\n\n# Software\n\nA licence costs at most 800 CNY."
OTHER = b"# Bins\n\nBins are blue."


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def rows_left(base: KnowledgeBase) -> dict[str, int]:
    """Everything of the base that a table holds."""
    with tenant_scope(get_account_scope(base)):
        files = KnowledgeFile.objects.within(base.account_id).filter(base=base.pk)
        return {
            "memories": Memory.objects.within(base.cube_id).count(),
            "files": files.count(),
            "fragments": Fragment.objects.within(base.account_id).filter(file__base=base.pk).count(),
            "bases": KnowledgeBase.objects.within(base.account_id).filter(pk=base.pk).count(),
            "cubes": MemCube.every.filter(pk=base.cube_id).count(),
        }


def test_a_deleted_file_leaves_nothing_and_its_neighbour_untouched(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    doomed, kept = settle(tenant.project, base, {"policy.md": POLICY, "bins.md": OTHER})

    delete_files(tenant.project, [str(doomed.pk)])

    assert texts(base) == ["Bins\nBins are blue."]
    assert rows_left(base) == {"memories": 1, "files": 1, "fragments": 1, "bases": 1, "cubes": 1}
    assert (bytes_used(base), list_stored_keys(base)) == (len(OTHER), [kept.storage_key])


MOMENTS: list[tuple[Any, str]] = [
    (fetching, "receive_file"),
    (parse_file, "parse_stored"),
    (fragment_memories, "_build_passages"),
    (indexing, "_embed_batch"),
]


@pytest.mark.parametrize(("module", "step"), MOMENTS, ids=[step for _, step in MOMENTS])
@pytest.mark.parametrize("is_base", [False, True], ids=["file", "base"])
def test_what_is_deleted_while_it_is_worked_on_does_not_come_back(
    tenant: Tenant, files: FileServer, monkeypatch: pytest.MonkeyPatch, module: Any, step: str, is_base: bool
) -> None:
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "policy.md", files.serves("policy.md", POLICY))
    real: Callable[..., Any] = getattr(module, step)

    def meanwhile(*arguments: Any) -> Any:
        done = real(*arguments)
        if is_base:
            with transaction.atomic():
                delete_base(tenant.project, base)
                put_off(tenant.project)
        else:
            delete_files(tenant.project, [str(file.pk)])
        connections.close_all()
        return done

    monkeypatch.setattr(module, step, meanwhile)
    state = tasks.execute_task(take(get_latest_task(file)))
    if is_base:
        purge(base)

    assert state == TaskState.COMPLETED
    left = rows_left(base)
    assert (left["memories"], left["files"], left["fragments"]) == (0, 0, 0)
    assert list_stored_keys(base) == []
    assert is_base or bytes_used(base) == 0


def purge(base: KnowledgeBase) -> None:
    task = Task.every.using(outbox.SWEEP).get(subject=base.pk, kind="purge")
    while tasks.execute_task(take(task)) == TaskState.WAITING:
        pass


def test_a_deleted_base_is_out_of_reach_at_once_and_empty_soon(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "BATCH", 1)
    monkeypatch.setattr(removal, "RUN_SECONDS", 0.0)
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": POLICY, "bins.md": OTHER})
    neighbour = make_base(tenant.project, "Neighbour")
    settle(tenant.project, neighbour, {"bins.md": OTHER})

    with transaction.atomic():
        delete_base(tenant.project, base)
        put_off(tenant.project)
    with pytest.raises(KnowledgeBaseUnknown):
        load_base(tenant.project, base.public_id)
    purge(base)

    assert set(rows_left(base).values()) == {0}
    assert list_stored_keys(base) == []
    assert texts(neighbour) == ["Bins\nBins are blue."]
    assert len(list_stored_keys(neighbour)) == 1


def test_a_purge_that_dies_at_any_statement_is_done_in_the_end(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": POLICY})
    with transaction.atomic():
        delete_base(tenant.project, base)
        put_off(tenant.project)
    task = Task.every.using(outbox.SWEEP).get(subject=base.pk, kind="purge")
    change = 0

    while Task.objects.within(tenant.project).get(pk=task.pk).state != TaskState.COMPLETED:
        change += 1
        with dying_at_change(change):
            try:
                removal.purge_base(take(task))
            except SimulatedKill:
                continue

    assert change > 3
    assert set(rows_left(base).values()) == {0}


def test_a_purge_waits_for_anyone_who_deletes_a_file_of_the_base_and_not_the_other_way_round(
    tenant: Tenant,
) -> None:
    base = make_base(tenant.project)
    with transaction.atomic():
        delete_base(tenant.project, base)
        put_off(tenant.project)

    def empty() -> None:
        try:
            purge(base)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as worker:
        with tenant_scope(tenant.project.account):
            KnowledgeBase.objects.within(base.account_id).select_for_update(no_key=True).get(pk=base.pk)
            running = worker.submit(empty)
            wait_until_somebody_waits()
            lock_cube(base.cube_id)
        running.result(LIMIT)

    assert set(rows_left(base).values()) == {0}


def test_a_file_that_repeats_a_deleted_one_takes_its_place(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    file, other, third = settle(
        tenant.project, base, {name: files.serves(name, POLICY) for name in ("a.md", "b.md", "c.md")}
    )

    with transaction.atomic():
        delete_files(tenant.project, [str(file.pk)])
        put_off(tenant.project)
    work_on(other)

    assert (fresh(other).state, fresh(other).same_as_id, fresh(third).same_as_id) == (
        "completed",
        None,
        other.pk,
    )
    assert len(texts(base)) == 2
    assert (bytes_used(base), list_stored_keys(base)) == (len(POLICY), [fresh(other).storage_key])

    delete_files(tenant.project, [str(other.pk), str(third.pk)])
    reassign_tasks(tenant.project.account)
    assert (texts(base), bytes_used(base), list_stored_keys(base)) == ([], 0, [])


def test_a_purge_whose_project_is_deleted_is_finished_by_another(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": POLICY})
    another = another_project(tenant)
    with transaction.atomic():
        delete_base(another, base)
        put_off(another)
    with tenant_scope(tenant.project.account):
        another.delete()

    with transaction.atomic():
        assert reassign_tasks(tenant.project.account) == 1
        put_off(tenant.project)
    purge(base)

    assert set(rows_left(base).values()) == {0}


def age(key: str, hours: float) -> None:
    then = time.time() - hours * 3600
    os.utime(storage.get_storage().path(key), (then, then))


def test_a_stored_file_that_no_row_names_goes_when_it_is_a_day_old(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    [file] = bring(tenant.project, base, {"policy.md": POLICY})
    lost, newborn = (
        receive_file(base, FileSource(content=[b"lost"], name="a.txt"), FOLDER).key for _ in range(2)
    )
    for key in (file.storage_key, lost):
        age(key, 25)

    sweep_stored_files()

    assert sorted(list_stored_keys(base)) == sorted([file.storage_key, newborn])


def test_the_files_of_a_base_that_is_gone_go_at_once(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    receive_file(base, FileSource(content=[b"lost"], name="a.txt"), FOLDER)
    with tenant_scope(get_account_scope(base)):
        KnowledgeBase.objects.within(base.account_id).filter(pk=base.pk).delete()

    sweep_stored_files()

    assert list_stored_keys(base) == []


def test_forgetting_an_end_user_touches_no_document(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": POLICY})
    before = (texts(base), list_stored_keys(base))
    with tenant.api() as api:
        api.add("kim", "I live in Berlin.")

    erase_subject(tenant.project, Subject(OwnerKind.END_USER, "kim"))

    assert (texts(base), list_stored_keys(base)) == before


def test_a_file_outlives_the_login_of_the_person_who_brought_it(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "policy.md", POLICY)
    user = User.objects.create_user(f"{file.pk}@example.org")
    with tenant_scope(get_account_scope(base)):
        KnowledgeFile.objects.within(base.account_id).filter(pk=file.pk).update(uploaded_by=user)

    user.delete()

    assert fresh(file).uploaded_by_id is None
    assert list_files(base)
