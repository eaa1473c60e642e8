"""A file becomes memories that searches find: step by step, whole or not at all, whatever breaks in between."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from knowledgebase.models import KnowledgeFile
from knowledgebase.processing import fragment_memories, process
from knowledgebase.signals import file_changed
from knowledgebase.values import FileState
from knowledgebase.work import file_task
from memories import tasks
from memories.jobs import outbox
from memories.jobs.outbox import LeaseLost
from memories.models import Task
from memories.values import TaskState
from tests.support.api_client import Api, Tenant
from tests.support.documents import small_files
from tests.support.knowledge.files_at_work import (
    bring_one,
    bytes_used,
    fresh,
    get_latest_task,
    list_memories,
    list_stored_keys,
    make_base,
    settle,
    take,
    texts,
    untouched,
    work_on,
)
from tests.support.knowledge.processed_files import POLICY, RULES, list_fragments
from tests.support.servers.file_server import FileServer
from tests.support.tasks.crashes import SimulatedKill, dying_at_change


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def how_far(file: KnowledgeFile) -> tuple[str, int, bool]:
    now = fresh(file)
    return now.state, now.fragments_done, bool(now.storage_key)


def test_each_section_of_a_document_becomes_a_memory_with_its_place(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    [file] = settle(tenant.project, base, {"policy.md": POLICY})

    travel, software = list_memories(base)
    assert (file.state, file.pages, file.fragments_done, file.fragments_total) == ("completed", 1, 2, 2)
    assert "Trains are first class." in travel.text
    assert software.text == "Software\nA licence costs at most 800 CNY."
    assert (software.kind, software.title, software.status) == ("knowledge", "Software", "activated")
    assert {"mode:fine", "multimodal:file"} <= set(software.tags)
    about = software.details["file"]
    assert (about["file"], about["name"], about["type"], about["heading"]) == (
        str(file.pk),
        "policy.md",
        "md",
        "Software",
    )
    assert [row.memory_id for row in list_fragments(file)] == [travel.pk, software.pk]
    assert bytes_used(base) == file.size == len(POLICY)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("shed.txt", b"The shed is closed in winter."),
        ("shed.pdf", small_files.pdf([[(11, "The shed is closed in winter.")]])),
        ("shed.docx", small_files.docx_file("The shed is closed in winter.")),
    ],
)
def test_documents_of_each_kind_are_read(tenant: Tenant, name: str, content: bytes) -> None:
    base = make_base(tenant.project)
    [file] = settle(tenant.project, base, {name: content})

    assert file.state == "completed", file.reason
    assert any("The shed is closed in winter." in text for text in texts(base))


def test_a_file_of_an_address_is_fetched_and_counted(tenant: Tenant, files: FileServer) -> None:
    base = make_base(tenant.project)
    brought = bring_one(tenant.project, base, "policy.md", files.serves("policy.md", POLICY))
    assert (brought.size, bytes_used(base)) == (0, 0)

    work_on(brought)

    file = fresh(brought)
    assert (file.state, file.size, file.kind) == ("completed", len(POLICY), "md")
    assert bytes_used(base) == len(POLICY)
    assert list_stored_keys(base) == [file.storage_key]
    assert len(texts(base)) == 2


def test_a_file_shows_how_far_it_is(tenant: Tenant, files: FileServer) -> None:
    heard: list[tuple[str, int, int]] = []

    def hear(sender: Any, **event: Any) -> None:
        heard.append((event["state"], event["done"], event["total"]))
        assert event["base_id"] == base.public_id
        assert event["project_ids"] == [str(tenant.project.pk)]

    base = make_base(tenant.project)
    file_changed.connect(hear)
    try:
        settle(tenant.project, base, {"rules.md": files.serves("rules.md", RULES)})
    finally:
        file_changed.disconnect(hear)

    states = [state for state, _, _ in heard]
    assert list(dict.fromkeys(states)) == [state.value for state in FileState if state != FileState.FAILED]
    assert [done for state, done, _ in heard if state == "generating"] == [0, 40]
    assert [done for state, done, _ in heard if state == "indexing"] == [0, 32, 40]
    assert heard[-1] == ("completed", 40, 40)


def test_nothing_of_a_file_is_recalled_before_all_of_it_is(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_task, "RUN_SECONDS", 0.0)
    monkeypatch.setattr(fragment_memories, "BATCH", 32)
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "rules.md", RULES)
    seen = []

    while (state := tasks.execute_task(take(get_latest_task(file)))) == TaskState.WAITING:
        seen.append((fresh(file).state, len(texts(base))))

    # How many steps there are depends on who else works: the stack's worker may take one of them.
    assert list(dict.fromkeys(seen)) == [("generating", 0), ("indexing", 40)]
    assert state == TaskState.COMPLETED
    assert (fresh(file).state, len(texts(base))) == ("completed", 40)


def test_a_file_is_found_by_its_words_before_it_is_embedded(
    tenant: Tenant, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_task, "RUN_SECONDS", 0.0)
    monkeypatch.setattr(
        outbox._announcer, "notify", lambda *_: None
    )  # the stack's worker finds out a moment later
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "rules.md", RULES)
    while fresh(file).state != "indexing":
        tasks.execute_task(take(get_latest_task(file)))

    with untouched(base):
        result = api.search("kim", "Which rule closes room 17?", knowledgebase_ids=[base.public_id])
        unembedded = [memory for memory in list_memories(base) if memory.embedding is None]

    assert "Room 17 is closed." in result["memory_detail_list"][0]["memory_value"]
    assert unembedded
    assert work_on(file) == TaskState.COMPLETED
    assert all(memory.embedding is not None for memory in list_memories(base))


def test_a_passage_that_was_deleted_before_its_file_was_complete_stays_away(
    tenant: Tenant, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_task, "RUN_SECONDS", 0.0)
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "rules.md", RULES)
    while fresh(file).state != "indexing":
        tasks.execute_task(take(get_latest_task(file)))
    doomed = next(memory for memory in list_memories(base) if "Room 17 " in memory.text)

    api.data("delete/memory", {"memory_ids": [str(doomed.pk)]})

    assert work_on(file) == TaskState.COMPLETED
    assert len(texts(base)) == 39


def test_work_that_dies_at_any_statement_is_done_once_in_the_end(
    tenant: Tenant, stranger: Tenant, files: FileServer
) -> None:
    """Fetching, too: a file that was stored for nothing goes again."""
    url = files.serves("policy.md", POLICY)
    undisturbed = make_base(stranger.project)
    settle(stranger.project, undisturbed, {"policy.md": url})
    base = make_base(tenant.project)
    file = bring_one(tenant.project, base, "policy.md", url)
    task, change, deaths = get_latest_task(file), 0, 0

    while Task.objects.within(tenant.project).get(pk=task.pk).state != TaskState.COMPLETED:
        change += 1
        before = how_far(file)
        with dying_at_change(change):
            try:
                process.process_file(take(task))
            except SimulatedKill:
                deaths += 1
        if how_far(file) != before:
            change = 0  # what comes next dies at each of its changes, too

    assert deaths > 15
    assert texts(base) == texts(undisturbed) != []
    assert list_stored_keys(base) == [fresh(file).storage_key]
    assert bytes_used(base) == len(POLICY)
    assert fresh(file).state == "completed"


def test_two_workers_at_the_same_file_make_each_memory_once(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    task = get_latest_task(bring_one(tenant.project, base, "policy.md", POLICY))
    claims = [take(task), take(task)]

    def run(mine: Task) -> str:
        try:
            process.process_file(mine)
        except LeaseLost:
            return "lost"
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(2) as workers:
        assert list(workers.map(run, claims)) == ["lost", "done"]
    assert len(texts(base)) == len(set(texts(base))) == 2


def test_a_passage_that_a_document_says_twice_is_one_memory(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fragment_memories, "PORTION", 2)
    shut, rest = b"# Doors\n\nDoors are shut.", b"# Lamps\n\nLamps are out.\n\n# Bins\n\nEmpty."
    twice = shut + b"\n\n" + rest + b"\n\n# Doors\n\nDoors are  shut."
    base = make_base(tenant.project)
    [file] = settle(tenant.project, base, {"closing.md": twice})

    assert (file.state, len(texts(base)), file.fragments_total) == ("completed", 3, 4)
    first, *_, last = list_fragments(file)
    assert first.memory_id == last.memory_id


def test_passages_that_differ_in_case_are_two_memories_whenever_they_are_read(tenant: Tenant) -> None:
    both = b"# Scales\n\nGive 5 Mg of salt.\n\n# Scales\n\nGive 5 mg of salt."
    base = make_base(tenant.project)
    settle(tenant.project, base, {"scales.md": both})

    [file] = settle(tenant.project, base, {"scales.md": both + b"\n\n# Scales\n\nGIVE 5 MG OF SALT."})

    assert (file.state, len(texts(base)), file.fragments_total) == ("completed", 3, 3)
    first, second, third = list_fragments(file)
    assert len({first.memory_id, second.memory_id, third.memory_id}) == 3


def test_two_documents_may_say_the_same(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    settle(tenant.project, base, {"a.md": POLICY, "b.md": POLICY + b"\n\n# Extra\n\nNothing else."})

    assert len([text for text in texts(base) if "800 CNY" in text]) == 2
