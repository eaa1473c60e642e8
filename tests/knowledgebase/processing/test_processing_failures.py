"""A file that cannot be processed fails by itself, with a reason, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections

from knowledgebase.processing import fragment_memories, parse_file, process
from knowledgebase.values import FileType
from knowledgebase.work import file_task
from knowledgebase.work.file_task import give_up_file
from memories.files import storage
from memories.jobs import retry, sweeper
from memories.jobs.outbox import Unfinished
from memories.models import Task
from memories.values import TaskState
from tenancy.isolation.scoping import Scope
from tenancy.models import Plan
from tests.support.api_client import Tenant
from tests.support.documents import small_files
from tests.support.knowledge.files_at_work import (
    bring,
    bring_one,
    bytes_used,
    fresh,
    get_latest_task,
    list_stored_keys,
    make_base,
    settle,
    take,
    texts,
    work_on,
)
from tests.support.knowledge.processed_files import POLICY, RULES, list_fragments
from tests.support.servers.file_server import FileServer


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def test_a_damaged_file_fails_alone_and_says_why(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    brought = bring(
        tenant.project,
        base,
        {"broken.pdf": b"%PDF-1.4 and then nothing", "locked.pdf": small_files.locked_pdf(), "ok.md": POLICY},
    )
    for file in brought:
        work_on(file)

    broken, locked, well = (fresh(file) for file in brought)
    assert (broken.state, locked.state, well.state) == ("failed", "failed", "completed")
    for file in (broken, locked):
        assert file.error_code == "50107"
        assert file.reason
        assert file.cure
        assert file.finished_at is not None
    assert len(texts(base)) == 2


def test_a_file_without_a_word_fails(tenant: Tenant) -> None:
    [file] = settle(tenant.project, make_base(tenant.project), {"blank.txt": b" \n \n"})

    assert (file.state, file.error_code) == ("failed", "50107")


def test_an_address_that_nobody_answers_fails_after_its_tries(
    tenant: Tenant, files: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "gone.md", f"http://{files.address}/gone/gone.md")

    assert work_on(file) in {TaskState.FAILED, TaskState.DEAD}
    assert (fresh(file).state, fresh(file).error_code) == ("failed", "40000")


def test_a_fetched_file_that_does_not_fit_into_the_plan_fails(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "policy.md", files.serves("policy.md", POLICY))
    plan = Plan.objects.create(
        code="tiny",
        name="Tiny",
        rank=99,
        knowledge_bases=1,
        knowledge_base_gigabytes=0,
        requests_per_second=1,
    )
    account = tenant.project.account
    account.plan, before = plan, account.plan
    account.save()
    try:
        work_on(file)
    finally:
        account.plan = before
        account.save()
        plan.delete()

    assert (fresh(file).state, fresh(file).error_code) == ("failed", "40304")
    assert (bytes_used(base), list_stored_keys(base)) == (0, [])


def test_the_same_content_from_two_addresses_is_known_once(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    file, other = settle(
        tenant.project,
        base,
        {"a.md": files.serves("a.md", POLICY), "b.md": files.serves("b.md", POLICY)},
    )

    assert (file.state, other.state, other.same_as_id) == ("completed", "completed", file.pk)
    assert (len(texts(base)), bytes_used(base)) == (2, len(POLICY))
    assert list_stored_keys(base) == [file.storage_key]


def test_a_file_that_repeats_one_which_is_not_done_ends_with_it(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "a.pdf", b"%PDF-1.4 and then nothing")
    other = bring_one(tenant.project, base, "b.pdf", files.serves("b.pdf", b"%PDF-1.4 and then nothing"))

    work_on(other)
    assert (fresh(other).state, fresh(other).same_as_id) == ("queued", file.pk)
    work_on(file)

    assert (fresh(file).state, fresh(other).state) == ("failed", "failed")
    assert fresh(other).reason == fresh(file).reason


def test_a_stored_file_that_is_gone_fails_its_row(tenant: Tenant) -> None:
    file = bring_one(tenant.project, make_base(tenant.project), "policy.md", POLICY)
    storage.delete_files([file.storage_key])

    assert work_on(file) == TaskState.FAILED
    assert (fresh(file).state, fresh(file).error_code) == ("failed", "40001")


def test_a_file_that_kills_its_workers_fails_with_its_task(tenant: Tenant) -> None:
    file = bring_one(tenant.project, make_base(tenant.project), "policy.md", POLICY)
    task = take(get_latest_task(file))
    Task.objects.within(tenant.project).filter(pk=task.pk).update(
        crashes=retry.MAX_CRASHES - 1, lease_until=task.created_at
    )

    for _ in range(100):
        sweeper.sweep_tasks()
        if fresh(file).state == "failed":
            break

    assert (fresh(file).state, fresh(file).error_code) == ("failed", "50002")
    assert fresh(file).cure


def test_what_was_given_up_leaves_nothing_half_done(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_task, "RUN_SECONDS", 0.0)
    monkeypatch.setattr(fragment_memories, "BATCH", 32)
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "rules.md", RULES)
    task = get_latest_task(file)
    for _ in range(2):
        with pytest.raises(Unfinished):
            process.process_file(take(task))
    assert fresh(file).fragments_done == 32

    give_up_file(Scope.of_project(tenant.project), file.pk)
    process.process_file(take(task)) if fresh(file).state != "failed" else None

    assert fresh(file).state == "failed"
    assert all(row.memory_id is None for row in list_fragments(file))


def test_a_skill_file_without_front_matter_fails_by_the_rule_and_leaves_nothing(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    [file] = bring(tenant.project, base, {"SKILL.md": b"# How to greet\n\nSay hello."}, FileType.SKILL)

    work_on(file)

    assert (fresh(file).state, fresh(file).error_code) == ("failed", "50107")
    assert "front matter" in fresh(file).reason
    assert texts(base) == []


def test_a_document_has_at_most_five_hundred_pages(tenant: Tenant) -> None:
    [file] = settle(
        tenant.project, make_base(tenant.project), {"long.pdf": small_files.pdf([[(11, "A page.")]] * 501)}
    )

    assert (file.state, file.error_code) == ("failed", "50104")
    assert parse_file.MAX_PAGES == 500
    assert "500" in file.reason
