"""What an account may store in all: exact to the last byte, shared by its projects, given back by what is deleted."""

from __future__ import annotations

import shutil
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, models

from console.data.erasure.delete_account import delete_account
from console.embedded.stack import Stack
from knowledgebase.models import KnowledgeBase, KnowledgeFile
from tenancy.api.bodies.body_limit import MAX_BODY, BodyLimit
from tenancy.errors import OperationFailed, StorageFull
from tenancy.isolation.private_fields import _Private
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account
from tenancy.models.storage import StoredBytes
from tenancy.storage import disk
from tenancy.storage.allowance import MEGABYTE, get_bytes_left
from tenancy.storage.counted_tables import STORED_TABLES, StoragePart
from tenancy.storage.counts import count_bytes_by_part, count_stored_bytes, fold_stored_bytes, recount_account
from tests.support.accounts.people import get_owner
from tests.support.accounts.plans import give_plan
from tests.support.accounts.storage import get_account_id, new_session, store
from tests.support.api_client import Api, Tenant
from tests.support.documents.attaching import (
    add,
    encoded,
    file,
    list_attachments,
    remembered,
    stored_files,
    text,
)
from tests.support.expect import accepted, refused
from tests.support.knowledge.knowledge import new_base, upload, wait_for_files
from tests.support.servers.file_server import FileServer, without_end
from tests.support.servers.loops import run
from tests.support.servers.slow_uploads import Reader, sending
from tests.support.servers.slow_uploads import upload as upload_slowly
from tests.support.skills.contract import connect_http
from tests.support.skills.packages import build_package
from tests.support.waiting import wait_until

# Tables with words or files of tenants that do not count, and why.
NOT_COUNTED = {
    "tenancy_requestlog": "leaves by its age",
    "tenancy_storedanswer": "leaves after a day",
    "memories_bulkjob": "filters and a tag, of bounded length",
    "memories_recalltest": "questions of bounded length, fifty a project",
    "memories_savedview": "filters and a name, of bounded length",
    "skills_skillversion": "titles and reasons, of bounded length",
}
NOTES = b"The hotel near the station costs 120 euros a night.\n"


def count_parts(tenant: Tenant) -> dict[StoragePart, int]:
    return count_bytes_by_part(get_account_id(tenant))


def fill(tenant: Tenant) -> None:
    """As full as the plan allows, by what nothing is made of."""
    with connect_http(tenant) as http:
        session = new_session(http)
        while (left := get_bytes_left(get_account_id(tenant))) and left > 0:
            if store(http, session, "x" * min(100_000, max(1, left - 400))).status_code != 201:
                return


def test_every_table_that_holds_words_or_files_is_counted_or_says_why_not() -> None:
    counted = {table.name: table.size for table in STORED_TABLES}
    holding, files = set(), {}
    for model in apps.get_models():
        names = {field.name for field in model._meta.fields}
        if names & {"storage_key", "stored_bytes"}:
            files[model._meta.db_table] = "stored_bytes" if "stored_bytes" in names else "size"
        if any(isinstance(field, _Private) for field in model._meta.fields) or names & {"storage_key"}:
            holding.add(model._meta.db_table)

    assert holding - set(counted) == set(NOT_COUNTED)
    assert {table for table, column in files.items() if column not in counted[table]} == set()


def test_an_account_finds_what_it_stores_by_an_index_in_every_table() -> None:
    models_by_table: dict[str, type[models.Model]] = {
        model._meta.db_table: model for model in apps.get_models()
    }
    with connection.cursor() as cursor:
        for table in STORED_TABLES:
            columns = {field.column for field in models_by_table[table.name]._meta.fields}
            wanted = "project_id" if "project_id" in columns else "account_id"
            cursor.execute(
                "SELECT count(*) FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]"
                " WHERE indrelid = %s::regclass AND attname = %s AND indpred IS NULL",
                [table.name, wanted],
            )
            assert cursor.fetchone()[0] > 0, table.name


def test_all_that_is_stored_counts_and_comes_back_when_it_is_deleted(
    api: Api, tenant: Tenant, stack: Stack
) -> None:
    assert sum(count_parts(tenant).values()) == 0
    assert remembered(api, "kim", text("My notes."), file(encoded(NOTES * 10), "notes.txt")) == "completed"
    base = new_base(api)
    upload(api, base, {"policy.md": b"# Travel\n\n" + NOTES * 20})
    wait_for_files(api, base)
    with connect_http(tenant) as http:
        session = new_session(http)
        assert store(http, session, "Book me a room. " * 50).status_code == 201
        package = build_package({"notes.bin": bytes(range(256)) * 40})
        made = http.post("agent_skills", files={"file": ("skill.zip", package, "application/zip")})
        skill = made.json()["data"]["id"]

        full = count_parts(tenant)
        assert recount_account(get_account_id(tenant)) == 0
        assert full[StoragePart.MESSAGES] > len(NOTES) * 10
        assert full[StoragePart.MEMORIES] > 0
        assert full[StoragePart.KNOWLEDGE] > len(NOTES) * 20
        assert full[StoragePart.SESSIONS] > len("Book me a room. ") * 50
        assert full[StoragePart.SKILLS] > 256 * 40

        http.delete(f"session/{session}")
        http.delete(f"agent_skills/{skill}")
    accepted(api.call("delete/memory", {"user_id": "kim"}))
    manager = KnowledgeBase.objects
    with tenant_scope(Scope(get_account_id(tenant), None)):
        row = manager.within(get_account_id(tenant)).get(public_id=base)
    from knowledgebase.bases.bases import delete_base

    delete_base(tenant.project, row)
    wait_until(lambda: sum(count_parts(tenant).values()) == 0)
    assert recount_account(get_account_id(tenant)) == 0
    fold_stored_bytes(get_account_id(tenant))
    assert count_stored_bytes(get_account_id(tenant)) == 0
    assert stored_files(stack, tenant) == []


def test_who_has_used_all_of_it_is_refused_in_words_and_can_read_search_and_delete(
    api: Api, tenant: Tenant, stack: Stack
) -> None:
    give_plan(tenant, storage_megabytes=1)
    api.add("kim", "I live in Porto.")
    base = new_base(api)
    fill(tenant)
    before = count_stored_bytes(get_account_id(tenant))

    message = refused(add(api, "kim", text("I moved. " * 100)), 40304, "storage of the plan is used up")
    assert "1.0 MB in all" in message
    refused(add(api, "kim", file(encoded(NOTES * 100), "notes.txt")), 40304, "storage")
    body = {"knowledgebase_id": base, "file": [{"name": "a.txt", "content": encoded(NOTES * 100)}]}
    refused(api.call("add/knowledgebase-file", body), 40304, "storage")
    refused(api.call("chat", {"user_id": "kim", "conversation_id": "t", "query": "Hi"}), 40304, "storage")
    with connect_http(tenant) as http:
        sessions = http.get("session").json()["data"]["items"]
        answer = store(http, sessions[0]["id"], "x" * 2_000)
        assert (answer.status_code, "storage" in answer.json()["msg"]) == (400, True)
        package = build_package({"notes.bin": bytes(range(256)) * 40})
        answer = http.post("agent_skills", files={"file": ("skill.zip", package, "application/zip")})
        assert (answer.status_code, "storage" in answer.json()["msg"]) == (400, True)

        assert count_stored_bytes(get_account_id(tenant)) == before
        assert stored_files(stack, tenant) == []
        assert api.search("kim", "Where do I live?")["memory_detail_list"]
        http.delete(f"session/{sessions[0]['id']}")
    accepted(add(api, "kim", text("I moved. " * 100)))


def test_of_many_who_write_at_once_exactly_as_many_are_stored_as_fit(tenant: Tenant) -> None:
    give_plan(tenant, storage_megabytes=1, most_requests_per_second=5_000)
    with connect_http(tenant) as http:
        session = new_session(http)
        empty = count_stored_bytes(get_account_id(tenant))
        assert store(http, session, "x" * 90_000).status_code == 201
        each = count_stored_bytes(get_account_id(tenant)) - empty
        fits = (MEGABYTE - empty) // each
        sessions = [new_session(http) for _ in range(20)]
        taken = count_stored_bytes(get_account_id(tenant)) - empty - each

        def write(session_id: str) -> int:
            with connect_http(tenant) as alone:
                return store(alone, session_id, "x" * 90_000).status_code

        with ThreadPoolExecutor(20) as pool:
            statuses = list(pool.map(write, sessions))

    assert taken < each
    assert sorted(set(statuses)) == [201, 400]
    assert statuses.count(201) == fits - 1
    assert count_stored_bytes(get_account_id(tenant)) <= MEGABYTE
    assert recount_account(get_account_id(tenant)) == 0


def test_a_file_of_an_address_is_cut_off_as_soon_as_it_is_more_than_is_left(
    api: Api, tenant: Tenant, files: FileServer, stack: Stack
) -> None:
    give_plan(tenant, storage_megabytes=2)
    base = new_base(api)

    upload(api, base, {"endless.txt": files.does("endless.txt", without_end)})
    (ended,) = wait_for_files(api, base)
    add(api, "kim", text("See this."), file(files.does("endless.txt", without_end)))
    wait_until(lambda: [row.state for row in list_attachments(tenant)] == ["failed"])

    assert ended["status"] == "failed"
    with tenant_scope(Scope(get_account_id(tenant), None)):
        row = KnowledgeFile.objects.within(get_account_id(tenant)).get()
    assert (row.error_code, "storage of the plan" in row.reason) == ("40304", True)
    (attachment,) = list_attachments(tenant)
    assert (attachment.error_code, "storage of the plan" in attachment.error_text) == ("40304", True)
    assert count_stored_bytes(get_account_id(tenant)) < MEGABYTE


def test_an_upload_that_cannot_fit_is_refused_before_its_body_is_read(tenant: Tenant) -> None:
    give_plan(tenant, storage_megabytes=1)
    limit = BodyLimit(reader := Reader())

    answer = run(upload_slowly(limit, tenant, sending(0), declared=2 * MAX_BODY))

    assert answer[0]["status"] == 400
    assert b"40304" in answer[1]["body"]
    assert reader.read == 0


def test_after_a_move_to_a_smaller_plan_nothing_is_deleted_and_nothing_is_added(
    api: Api, tenant: Tenant
) -> None:
    give_plan(tenant, storage_megabytes=4)
    with connect_http(tenant) as http:
        session = new_session(http)
        for _ in range(15):
            assert store(http, session, "x" * 100_000).status_code == 201
        before = count_stored_bytes(get_account_id(tenant))
        give_plan(tenant, storage_megabytes=1)

        answer = store(http, session, "and more")

        assert answer.status_code == 400
        assert "it allows 1.0 MB in all" in answer.json()["msg"]
        assert "with this 1.4 MB would be stored" in answer.json()["msg"]
        assert count_stored_bytes(get_account_id(tenant)) == before
        assert len(http.get(f"session/{session}/messages").json()["data"]["items"]) == 15
        give_plan(tenant, storage_megabytes=4)
        assert store(http, session, "and more").status_code == 201


def test_sums_that_drifted_are_mended_while_others_write(tenant: Tenant) -> None:
    key = get_account_id(tenant)
    with connect_http(tenant) as http:
        session = new_session(http)
        store(http, session, "x" * 5_000)
        fold_stored_bytes(key)
        with tenant_scope(Scope(key, None)):
            rows = StoredBytes.objects.within(key).filter(table="skills_sessionmessage")
            rows.update(bytes=7)
            StoredBytes.objects.create(account_id=key, table="memories_message", bytes=90_000)
        store(http, session, "x" * 5_000)
        out = StringIO()
        call_command("recount_storage", account=key, stdout=out)

        assert str(key) in out.getvalue()
        assert " 0 corrected" not in out.getvalue()
        parts = count_bytes_by_part(key)
        assert parts[StoragePart.MESSAGES] == 0
        assert 10_000 < parts[StoragePart.SESSIONS] < 11_000
        assert recount_account(key) == 0


def test_of_a_deleted_account_no_count_is_left(stack: Stack, tenant: Tenant) -> None:
    key = get_account_id(tenant)
    with connect_http(tenant) as http:
        store(http, new_session(http), "x" * 5_000)

    delete_account(Account.objects.get(pk=key), get_owner(tenant))

    wait_until(lambda: not Account.objects.filter(pk=key).exists())
    with tenant_scope(Scope(key, None)), connection.cursor() as cursor:
        for table in ("tenancy_storedchange", "tenancy_storedbytes"):
            cursor.execute(f"SELECT count(*) FROM {table} WHERE account_id = %s", [key])
            assert cursor.fetchone() == (0,), table


Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def nearly_full(monkeypatch: pytest.MonkeyPatch) -> Any:
    """So many bytes are free on every disk, and more than 60 KB of them for all."""

    def leave(free: int) -> None:
        monkeypatch.setattr(disk, "LEAST_FREE_DISK", 1_000)
        monkeypatch.setattr(disk, "LOW_DISK", 10**9)
        monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(10**12, 10**12 - free, free))

    return leave


def test_on_a_low_disk_the_largest_accounts_are_refused_first(
    tenant: Tenant, stranger: Tenant, nearly_full: Any
) -> None:
    with connect_http(tenant) as http:
        session = new_session(http)
        for _ in range(3):
            store(http, session, "x" * 100_000)
    large, small, nobody = get_account_id(tenant), get_account_id(stranger), uuid4()

    def bearing(free: int) -> list[bool]:
        return [disk.has_space_for(account_id, free) for account_id in (large, small, nobody, None)]

    nearly_full(0)
    assert bearing(2 * 10**9) == [True] * 4
    assert bearing(10**8) == [True, True, True, False]
    assert bearing(200_000) == [False, True, True, False]
    assert bearing(900) == [False] * 4


def test_a_long_body_is_read_of_an_account_that_stores_little_while_the_disk_is_low(
    tenant: Tenant, stranger: Tenant, nearly_full: Any
) -> None:
    with connect_http(tenant) as http:
        session = new_session(http)
        for _ in range(3):
            store(http, session, "x" * 100_000)
    nearly_full(200_000)
    limit = BodyLimit(reader := Reader())

    refusal = run(upload_slowly(limit, tenant, sending(0, parts=3, part=b"x" * 50_000), None))
    assert refusal[0]["status"] == 503
    assert b"disk is nearly full" in refusal[1]["body"]
    read = reader.read
    assert run(upload_slowly(limit, stranger, sending(0, parts=3, part=b"x" * 50_000), None)) == []
    assert reader.read == read + 150_000


def test_files_are_stored_by_the_same_rule(tenant: Tenant, stranger: Tenant, nearly_full: Any) -> None:
    from memories.files.storage import delete_files, store_file

    with connect_http(tenant) as http:
        store(http, new_session(http), "x" * 100_000)
    nearly_full(60_000)

    with pytest.raises(OperationFailed, match="full"):
        store_file(tenant.project, "messages", [NOTES], "notes.txt")
    stored = store_file(stranger.project, "messages", [NOTES], "notes.txt")
    delete_files([stored.key])


def test_a_file_larger_than_what_is_left_stops_at_the_first_piece_too_many(tenant: Tenant) -> None:
    from memories.files.storage import store_file

    give_plan(tenant, storage_megabytes=1)
    read = 0

    def pieces() -> Any:
        nonlocal read
        for _ in range(1_000):
            read += 1
            yield b"x" * 100_000

    with pytest.raises(StorageFull):
        store_file(tenant.project, "messages", pieces(), "notes.txt")
    assert read == 11
