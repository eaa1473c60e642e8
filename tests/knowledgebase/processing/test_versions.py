"""A new version of a document, or the same one read again, changes what has changed and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from knowledgebase.models import Correction, Fragment, KnowledgeBase, KnowledgeFile
from knowledgebase.processing import fragment_memories, process, publishing
from knowledgebase.removal.removal import remove_file
from knowledgebase.work import file_task
from knowledgebase.work.reprocess import process_again
from memories.consolidation.revise import link_successor, retire_memory, rewrite_memory
from memories.consolidation.versions import WORKER
from memories.models import Memory
from memories.text.content import hash_content
from memories.values import MemoryKind, TaskState
from tenancy.isolation.scoping import Scope, tenant_scope
from tests.support.api_client import Tenant
from tests.support.knowledge.files_at_work import (
    bring_one,
    bytes_used,
    fresh,
    get_account_scope,
    get_latest_task,
    list_files,
    list_memories,
    list_stored_keys,
    make_base,
    put_off,
    settle,
    take,
    texts,
    work_on,
)
from tests.support.servers.file_server import FileServer, send
from tests.support.tasks.crashes import SimulatedKill, dying_at_change


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def document(**sections: str) -> bytes:
    return "\n\n".join(f"# {title}\n\n{text}" for title, text in sections.items()).encode()


FIRST = document(Travel="Trains are first class.", Software="A licence costs 800 CNY.", Bins="Bins are blue.")
SECOND = document(
    Bins="Bins are blue.", Software="A licence costs 900 CNY.", Travel="Trains are first class."
)
SAID_FIRST = {"Trains are first class.", "A licence costs 800 CNY.", "Bins are blue."}
SAID_SECOND = {"Trains are first class.", "A licence costs 900 CNY.", "Bins are blue."}


def by_text(base: KnowledgeBase) -> dict[str, Memory]:
    return {memory.text.partition("\n")[2]: memory for memory in list_memories(base)}


def correct(base: KnowledgeBase, old: Memory, text: str) -> UUID:
    """As feedback does it: the contradicted memory retires, and another one holds."""
    with tenant_scope(get_account_scope(base)):
        retire_memory(old, timezone.now(), actor=WORKER, reason="corrected")
        new = Memory.objects.create(
            account_id=base.account_id,
            cube_id=base.cube_id,
            kind=MemoryKind.KNOWLEDGE,
            text=text,
            content_hash=hash_content(text),
            info={"source": "feedback"},
        )
        link_successor(old, new)
        Correction.objects.create(
            account_id=base.account_id, base=base, source="feedback", before=old, after=new
        )
    return UUID(str(new.pk))


def corrections(base: KnowledgeBase) -> int:
    with tenant_scope(get_account_scope(base)):
        return int(Correction.objects.within(base.account_id).filter(base=base).count())


def again(tenant: Tenant, file: KnowledgeFile) -> TaskState:
    with tenant_scope(tenant.project):
        process_again(tenant.project, file)
        put_off(tenant.project)
    return work_on(file)


def test_a_new_version_keeps_what_it_says_too_and_replaces_the_rest(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": FIRST})
    before = by_text(base)

    [new] = settle(tenant.project, base, {"policy.md": SECOND})

    after = by_text(base)
    assert set(after) == {"Bins are blue.", "A licence costs 900 CNY.", "Trains are first class."}
    assert after["Bins are blue."].pk == before["Bins are blue."].pk
    assert after["Trains are first class."].pk == before["Trains are first class."].pk
    assert [memory.text.partition("\n")[0] for memory in list_memories(base)] == [
        "Bins",
        "Software",
        "Travel",
    ]
    assert {memory.details["file"]["file"] for memory in after.values()} == {str(new.pk)}
    assert after["Trains are first class."].details["file"]["ordinal"] == 2
    assert [row.pk for row in list_files(base)] == [new.pk]
    assert (new.replaces_id, new.state) == (None, "completed")
    assert (bytes_used(base), list_stored_keys(base)) == (len(SECOND), [new.storage_key])
    with tenant_scope(Scope(new.account_id, None)):
        rows = Fragment.objects.within(new.account_id).filter(file=new).select_related("memory")
        assert [row.memory.text for row in rows] == [f"{row.heading}\n{row.text}" for row in rows]
    assert new.finished_at is not None
    assert timezone.now() - new.finished_at < timedelta(minutes=5)


def test_the_version_before_is_in_use_until_all_of_the_new_one_is_shown(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_task, "RUN_SECONDS", 0.0)
    monkeypatch.setattr(fragment_memories, "BATCH", 1)
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": FIRST})
    before = texts(base)
    new = bring_one(tenant.project, base, "policy.md", document(A="One.", B="Two.", Bins="Bins are blue."))

    from memories import tasks

    tasks.execute_task(take(get_latest_task(new)))
    while fresh(new).state == "generating":
        assert texts(base) == before
        tasks.execute_task(take(get_latest_task(new)))

    assert [text.partition("\n")[2] for text in texts(base)] == ["One.", "Two.", "Bins are blue."]


def test_versions_that_fail_leave_the_one_before_in_use_and_the_next_replaces_all(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    [old] = settle(tenant.project, base, {"policy.md": FIRST})
    before = texts(base)

    for blank in (b"\n \n", b"\n  \n"):
        [new] = settle(tenant.project, base, {"policy.md": blank})

        assert new.state == "failed"
        assert "version before it stays in use" in new.reason
        assert (texts(base), fresh(old).state) == (before, "completed")

    [last] = settle(tenant.project, base, {"policy.md": SECOND})
    assert [row.pk for row in list_files(base)] == [last.pk]
    assert set(by_text(base)) == SAID_SECOND
    assert bytes_used(base) == len(SECOND)


def test_a_version_that_fails_after_another_that_failed_promises_nothing(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": b"\n \n"})

    [new] = settle(tenant.project, base, {"policy.md": b"\n  \n"})

    assert new.state == "failed"
    assert "in use" not in new.reason


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_new_versions_at_work_the_later_upload_stays(tenant: Tenant, order: tuple[int, int]) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": FIRST})
    versions = [
        bring_one(tenant.project, base, "policy.md", content)
        for content in (document(Bins="Bins are red."), document(Bins="Bins are green.", Travel="Walk."))
    ]

    for number in order:
        work_on(versions[number])

    assert sorted(by_text(base)) == ["Bins are green.", "Walk."]
    assert [row.pk for row in list_files(base)] == [versions[1].pk]
    assert list_stored_keys(base) == [fresh(versions[1]).storage_key]


def test_a_corrected_passage_stays_corrected_in_the_next_version_unless_the_passage_is_gone(
    tenant: Tenant,
) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": FIRST})
    passages = by_text(base)
    green = correct(base, passages["Bins are blue."], "Bins are green.")
    correct(base, passages["A licence costs 800 CNY."], "A licence costs 600 CNY.")

    settle(tenant.project, base, {"policy.md": SECOND})

    now = {memory.pk: memory.text for memory in list_memories(base)}
    assert now[green] == "Bins are green."
    assert "Bins\nBins are blue." not in now.values()
    assert "A licence costs 600 CNY." not in now.values()
    assert any("900 CNY" in text for text in now.values())
    assert corrections(base) == 1


def test_a_correction_that_another_document_needs_too_stays(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": FIRST})
    settle(tenant.project, base, {"other.md": FIRST + b"\n\n# More\n\nMore."})
    twins = [memory for memory in list_memories(base) if "800 CNY" in memory.text]
    right = correct(base, twins[0], "A licence costs 600 CNY.")
    with tenant_scope(get_account_scope(base)):
        retire_memory(twins[1], timezone.now(), actor=WORKER, reason="corrected")
        link_successor(twins[1], Memory.objects.within(base.cube_id).get(pk=right))

    settle(tenant.project, base, {"policy.md": SECOND})

    assert right in {memory.pk for memory in list_memories(base)}


def test_a_reworded_passage_keeps_its_words_when_the_document_comes_again(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    [file] = settle(tenant.project, base, {"policy.md": FIRST})
    bins = by_text(base)["Bins are blue."]
    with tenant_scope(get_account_scope(base)):
        rewrite_memory(bins, {"text": "Bins\nBins are grey."}, None, actor=WORKER, reason="words replaced")

    assert again(tenant, file) == TaskState.COMPLETED

    assert by_text(base)["Bins are grey."].pk == bins.pk
    assert len(texts(base)) == 3


def test_reading_a_document_again_changes_nothing_that_is_the_same_and_adds_what_was_deleted(
    tenant: Tenant,
) -> None:
    base = make_base(tenant.project)
    [file] = settle(tenant.project, base, {"policy.md": FIRST})
    before = {memory.pk: memory.text for memory in list_memories(base)}

    assert again(tenant, file) == TaskState.COMPLETED

    assert {memory.pk: memory.text for memory in list_memories(base)} == before
    assert (fresh(file).runs, fresh(file).state) == (2, "completed")

    with tenant_scope(get_account_scope(base)):
        Memory.objects.within(base.cube_id).filter(pk=list_memories(base)[0].pk).delete()
    again(tenant, file)
    assert set(texts(base)) == set(before.values())


def test_a_failed_address_is_fetched_again(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    url = files.serves("policy.md", b" \n ")
    [file] = settle(tenant.project, base, {"policy.md": url})
    assert file.state == "failed"

    again(tenant, file)

    assert fresh(file).state == "failed"
    assert "stays in use" not in fresh(file).reason


def test_a_version_that_dies_at_any_statement_replaces_once_in_the_end(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"policy.md": FIRST})
    kept = by_text(base)["Bins are blue."].pk
    new = bring_one(tenant.project, base, "policy.md", SECOND)
    task, change = get_latest_task(new), 0

    while fresh(new).state != "completed":
        change += 1
        with dying_at_change(change):
            try:
                process.process_file(take(task))
            except SimulatedKill:
                assert set(by_text(base)) in (SAID_FIRST, SAID_SECOND)

    assert change > 5
    assert by_text(base)["Bins are blue."].pk == kept
    assert set(by_text(base)) == {"Bins are blue.", "A licence costs 900 CNY.", "Trains are first class."}
    assert [row.pk for row in list_files(base)] == [new.pk]


def test_a_version_whose_predecessor_is_deleted_meanwhile_says_all_itself(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base(tenant.project)
    [old] = settle(tenant.project, base, {"policy.md": FIRST})
    new = bring_one(tenant.project, base, "policy.md", SECOND)
    publish, calls = publishing.publish_file, []

    def show_late(mine: Any) -> bool:
        if not calls:
            remove_file(old)
        calls.append(mine)
        return publish(mine)

    monkeypatch.setattr(process, "publish_file", show_late)
    work_on(new)

    assert len(calls) == 2
    assert set(by_text(base)) == {"Bins are blue.", "A licence costs 900 CNY.", "Trains are first class."}
    assert fresh(new).state == "completed"


def test_an_address_that_did_not_change_and_then_did_is_there_once(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    content = [FIRST]
    url = files.does("policy.md", lambda request: send(request, 200, content[0]))
    settle(tenant.project, base, {"policy.md": url})
    before = {memory.pk for memory in list_memories(base)}

    [unchanged] = settle(tenant.project, base, {"policy.md": url})
    assert (unchanged.state, {memory.pk for memory in list_memories(base)}) == ("completed", before)
    assert bytes_used(base) == len(FIRST)

    content[0] = SECOND
    [changed] = settle(tenant.project, base, {"policy.md": url})
    assert set(by_text(base)) == SAID_SECOND
    assert [row.pk for row in list_files(base)] == [changed.pk]
    assert (bytes_used(base), list_stored_keys(base)) == (len(SECOND), [changed.storage_key])
