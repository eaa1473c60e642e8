"""Stored files of sessions: swept, moved from earlier releases, kept in a bucket."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from acontext import AcontextClient

from console.embedded.stack import Stack
from memories.files import storage
from skills.catalogue.orphaned_files import sweep_skill_files
from skills.message_formats import normalise_message
from skills.models import SessionMessage
from skills.sessions.messages import NewMessage, store_message
from skills.sessions.migrate_message_files import migrate_files_of_project, migrate_message_files
from skills.sessions.session_message_files import FOLDER, with_files
from skills.sessions.sessions import NewSession, create_session, delete_session
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.documents.attaching import stored_files
from tests.support.servers.bucket import Bucket, files_in_bucket
from tests.support.skills.session_files import (
    SENT,
    in_openai,
    list_rows,
)


def test_a_file_that_no_message_names_goes_when_it_is_a_day_old(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create()
    agent.sessions.store_message(session.id, blob=in_openai())
    named = list_rows(tenant)[0].storage_key
    rules = storage.Rules(10_000, lambda head, name: (storage.FileKind.TXT, "application/octet-stream"))
    lost, newborn = (storage.store_file(tenant.project, FOLDER, [b"lost"], "", rules).key for _ in range(2))
    then = time.time() - 25 * 3600
    for key in (named, lost):
        os.utime(storage.get_storage().path(key), (then, then))

    sweep_skill_files()

    assert [Path(storage.get_storage().path(key)).exists() for key in (named, lost, newborn)] == [
        True,
        False,
        True,
    ]


def sent_by_an_earlier_release(tenant: Tenant, *names: str) -> str:
    """A session whose messages hold their files in their rows and were never counted."""
    session, _ = create_session(tenant.project, NewSession(disable_task_tracking=True))
    for name in names:
        original = normalise_message(name, SENT[name])
        message, _ = store_message(tenant.project, session.public_id, NewMessage.of(original), {"n": name})
        with tenant_scope(tenant.project):
            rows = SessionMessage.objects.within(tenant.project).filter(pk=message.pk)
            storage.delete_files(rows.values_list("storage_key", flat=True))
            rows.update(
                parts=original.parts, files=None, storage_key="", stored_bytes=0, row_bytes=None, tokens=None
            )
    return str(session.public_id)


def in_time() -> float:
    return time.monotonic() + 20


def test_messages_of_earlier_releases_are_read_as_they_are_and_move_to_the_storage(
    agent: AcontextClient, tenant: Tenant, stack: Stack
) -> None:
    session = sent_by_an_earlier_release(tenant, *SENT)
    before = {form: agent.sessions.get_messages(session, format=form) for form in SENT}  # type: ignore[arg-type]
    tokens = agent.sessions.get_token_counts(session).total_tokens
    assert stored_files(stack, tenant) == []

    migrate_message_files()

    assert len(stored_files(stack, tenant)) == 3
    assert all(row.storage_key and row.tokens and row.row_bytes for row in list_rows(tenant))
    for form, read in before.items():
        assert agent.sessions.get_messages(session, format=form) == read  # type: ignore[arg-type]
    assert agent.sessions.get_token_counts(session).total_tokens == tokens
    assert migrate_files_of_project(tenant.project, in_time()) == 0
    assert len(stored_files(stack, tenant)) == 3


def test_a_move_to_the_storage_that_breaks_off_loses_nothing(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent_by_an_earlier_release(tenant, "openai", "anthropic")
    with files_in_bucket(monkeypatch) as bucket:
        bucket.is_away = True
        with pytest.raises(OperationFailed):
            migrate_files_of_project(tenant.project, in_time())
        assert [row.parts for row in list_rows(tenant)] == [
            normalise_message(name, SENT[name]).parts for name in ("openai", "anthropic")
        ]
        bucket.is_away = False

        assert migrate_files_of_project(tenant.project, in_time()) == 2

        assert sorted(bucket.objects) == sorted(row.storage_key for row in list_rows(tenant))
        for row, name in zip(list_rows(tenant), ("openai", "anthropic"), strict=True):
            assert with_files(row, with_uploads=False).parts == normalise_message(name, SENT[name]).parts


@pytest.fixture
def in_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    with files_in_bucket(monkeypatch) as running:
        yield running


def test_files_in_a_bucket_are_written_before_the_row_read_and_deleted(
    tenant: Tenant, in_bucket: Bucket
) -> None:
    session, _ = create_session(tenant.project, NewSession(disable_task_tracking=True))
    new = NewMessage.of(normalise_message("openai", in_openai()))
    in_bucket.is_away = True
    with pytest.raises(OperationFailed):
        store_message(tenant.project, session.public_id, new, {})
    assert list_rows(tenant) == []
    in_bucket.is_away = False

    stored, _ = store_message(tenant.project, session.public_id, new, {})

    (row,) = list_rows(tenant)
    assert list(in_bucket.objects) == [row.storage_key]
    assert with_files(row, with_uploads=False).parts == stored.parts
    delete_session(tenant.project, session.public_id)
    assert in_bucket.objects == {}
