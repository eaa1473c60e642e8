"""Whatever happens to what is stored, the sums say what is there: no more after a deletion, no less after a copy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from django.db import connections

from memories.files.message_files import drop_message_files
from memories.lifecycle.trash import move_to_trash, purge_memories, select_trashed_memories
from memories.models import MemCube, Memory, Message
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key
from tenancy.projects.projects import create_project
from tenancy.storage.counted_tables import StoragePart
from tenancy.storage.counts import count_bytes_by_part, count_stored_bytes, fold_stored_bytes, recount_account
from tests.support.accounts.people import get_owner
from tests.support.accounts.plans import give_plan
from tests.support.accounts.storage import get_account_id, new_session, store
from tests.support.api_client import Api, Tenant
from tests.support.documents.attaching import add, encoded, file, text
from tests.support.expect import accepted, refused
from tests.support.knowledge.knowledge import file_item, new_base, upload, wait_for_files
from tests.support.skills.contract import connect_http
from tests.support.tasks.deletions import delete_and_wait

NOTES = b"The hotel near the station costs 120 euros a night.\n" * 200


def part(tenant: Tenant, wanted: StoragePart) -> int:
    return count_bytes_by_part(get_account_id(tenant))[wanted]


def test_what_a_user_and_an_agent_keep_counts_for_both(api: Api, tenant: Tenant) -> None:
    accepted(add(api, "kim", text("See this."), file(encoded(NOTES), "notes.txt"), agent_id="bot"))
    once = part(tenant, StoragePart.MESSAGES)
    accepted(add(api, "lou", text("See this."), file(encoded(NOTES), "notes.txt")))

    assert once > len(NOTES)
    assert part(tenant, StoragePart.MESSAGES) - once > len(NOTES)
    assert recount_account(get_account_id(tenant)) == 0


def test_chinese_words_count_by_their_bytes(api: Api, tenant: Tenant) -> None:
    words = "我住在上海，靠近外滩。" * 100

    api.data(
        "add/message",
        {
            "user_id": "金",
            "conversation_id": "谈话",
            "messages": [{"role": "user", "content": words}],
        },
    )

    size = len(words.encode())
    assert size * 2 <= part(tenant, StoragePart.MESSAGES) < size * 2 + 500


def test_the_same_file_uploaded_twice_into_a_base_counts_once(api: Api, tenant: Tenant) -> None:
    base = new_base(api)
    upload(api, base, {"a.md": b"# Hotels\n\n" + NOTES})
    wait_for_files(api, base)
    once = part(tenant, StoragePart.KNOWLEDGE)

    (again,) = upload(api, base, {"b.md": b"# Hotels\n\n" + NOTES})

    assert part(tenant, StoragePart.KNOWLEDGE) == once
    api.data("delete/knowledgebase-file", {"file_ids": [again["id"]]})
    assert part(tenant, StoragePart.KNOWLEDGE) == 0


def test_a_refused_upload_counts_nothing(api: Api, tenant: Tenant) -> None:
    base = new_base(api)
    before = count_stored_bytes(get_account_id(tenant))

    body = {
        "knowledgebase_id": base,
        "file": [file_item("a.md", NOTES), file_item("b.exe", b"MZ" + NOTES)],
    }
    refused(api.call("add/knowledgebase-file", body), 40007)

    assert count_stored_bytes(get_account_id(tenant)) == before


def test_what_is_in_the_trash_counts_until_it_is_purged(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Lisbon. I like green tea.")
    project = tenant.project
    before = part(tenant, StoragePart.MEMORIES)
    with tenant_scope(project):
        move_to_trash(project, Memory.objects.within(MemCube.objects.within(project)), "test")

    assert part(tenant, StoragePart.MEMORIES) >= before > 0
    assert recount_account(get_account_id(tenant)) == 0
    assert sum(purge_memories(project, select_trashed_memories(project))) > 0
    assert part(tenant, StoragePart.MEMORIES) == 0
    assert recount_account(get_account_id(tenant)) == 0


def test_files_that_retention_takes_give_their_space_back(api: Api, tenant: Tenant) -> None:
    accepted(add(api, "kim", file(encoded(NOTES), "notes.txt")))
    before = part(tenant, StoragePart.MESSAGES)
    with tenant_scope(tenant.project):
        mine = Message.objects.within(tenant.project)
        drop_message_files(tenant.project, list(mine.values_list("pk", flat=True)))

    assert 0 < before - part(tenant, StoragePart.MESSAGES) - len(NOTES) + 200 < 400
    assert recount_account(get_account_id(tenant)) == 0


def test_a_deleted_project_gives_back_what_it_held_and_not_what_others_hold(tenant: Tenant) -> None:
    second = create_project(tenant.project.account, "second", "", get_owner(tenant))
    other = create_key(second, "other").plaintext
    with connect_http(tenant) as http, connect_http(tenant, other) as others:
        store(http, new_session(http), "x" * 20_000)
        store(others, new_session(others), "y" * 30_000)
    both = count_stored_bytes(get_account_id(tenant))

    delete_and_wait(second, get_owner(tenant))

    assert 50_000 < both < 51_000
    assert 20_000 < count_stored_bytes(get_account_id(tenant)) < 20_500
    assert recount_account(get_account_id(tenant)) == 0


def test_projects_of_an_account_share_one_allowance(tenant: Tenant) -> None:
    give_plan(tenant, storage_megabytes=1)
    second = create_project(tenant.project.account, "second", "", get_owner(tenant))
    other = create_key(second, "other").plaintext
    with connect_http(tenant) as http, connect_http(tenant, other) as others:
        mine, theirs = new_session(http), new_session(others)
        statuses = [store(http, mine, "x" * 100_000).status_code for _ in range(10)]

        assert statuses == [201] * 10
        assert store(others, theirs, "y" * 100_000).status_code == 400


def test_an_answer_under_an_idempotency_key_is_repeated_although_the_storage_is_full(
    api: Api, tenant: Tenant
) -> None:
    give_plan(tenant, storage_megabytes=1)
    body = {"user_id": "kim", "conversation_id": "t", "messages": [{"role": "user", "content": "I moved."}]}
    headers = {"Idempotency-Key": "once"}
    first = accepted(api.call("add/message", body, headers=headers))
    give_plan(tenant, storage_megabytes=0)

    assert accepted(api.call("add/message", body, headers=headers)) == first
    refused(api.call("add/message", body), 40304, "storage")


def test_sums_hold_while_many_write_delete_fold_and_count(tenant: Tenant) -> None:
    key = get_account_id(tenant)

    def write_and_delete(number: int) -> None:
        with connect_http(tenant) as http:
            session = new_session(http)
            for _ in range(3):
                store(http, session, "x" * 1_000 * (number + 1))
            if number % 2:
                http.delete(f"session/{session}")

    def tidy(_: int) -> None:
        try:
            fold_stored_bytes(key)
            recount_account(key)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        writing = [pool.submit(write_and_delete, number) for number in range(8)]
        tidying = [pool.submit(tidy, number) for number in range(8)]
        for work in writing + tidying:
            work.result()

    assert recount_account(key) == 0
    kept = sum(3 * 1_000 * (number + 1) for number in range(0, 8, 2))
    assert kept < count_stored_bytes(key) < kept + 3_000
