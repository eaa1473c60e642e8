"""Pictures, sound and documents in messages of sessions: stored as files, given back byte for byte, gone with them."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from acontext import AcontextClient, FileUpload
from acontext.messages import MessagePart, build_acontext_message

from console.embedded.stack import Stack
from console.erasure.delete_rows import holdings
from memories.files import storage
from skills.catalogue.orphans import sweep_skill_files
from skills.message_formats import normalised
from skills.models import SessionMessage
from skills.sessions.message_files import ROOM, with_files
from skills.sessions.messages import NewMessage, store_message
from skills.sessions.recount import recount_messages
from skills.sessions.sessions import NewSession, create_session, delete_session
from tenancy.errors import OperationFailed
from tenancy.isolation.scoping import tenant_scope
from tenancy.models.deletion import BYTES
from tests.support.api_client import Tenant
from tests.support.deletions import delete_and_wait
from tests.support.documents.attaching import stored_files
from tests.support.people import owner_of
from tests.support.servers.bucket import Bucket, files_in_bucket
from tests.support.skills.contract import status_of

PICTURE, SOUND, PAPER = (os.urandom(size) for size in (3_000, 5_001, 7_002))


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def url_of(content: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{b64(content)}"


def in_openai(picture: bytes = PICTURE) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look at these."},
            {"type": "image_url", "image_url": {"url": url_of(picture), "detail": "high"}},
            {"type": "input_audio", "input_audio": {"data": b64(SOUND), "format": "mp3"}},
            {
                "type": "file",
                "file": {"file_data": url_of(PAPER, "application/pdf"), "filename": "合同.pdf"},
            },
        ],
    }


def in_anthropic() -> dict[str, Any]:
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": b64(PICTURE)},
    }
    paper = {"type": "base64", "media_type": "application/pdf", "data": b64(PAPER)}
    return {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": [{"type": "text", "text": "Seen"}, picture],
            },
            picture,
            {"type": "document", "source": paper, "title": "A contract"},
        ],
    }


def in_acontext() -> dict[str, Any]:
    return {
        "role": "user",
        "parts": [
            {"type": "image", "meta": {"data": b64(PICTURE), "media_type": "image/png"}},
            {"type": "video", "meta": {"frames": [b64(PICTURE), {"deep": [b64(SOUND)]}], "fps": 2}},
            {"type": "data", "meta": {"data_type": "scan", "content": b64(PAPER)}},
        ],
    }


SENT = {"openai": in_openai(), "anthropic": in_anthropic(), "acontext": in_acontext()}


def rows_of(tenant: Tenant) -> list[SessionMessage]:
    with tenant_scope(tenant.project):
        return list(SessionMessage.objects.within(tenant.project).order_by("position"))


@pytest.mark.parametrize("form", SENT)
def test_a_message_with_files_comes_back_as_it_went_and_its_row_holds_none_of_them(
    agent: AcontextClient, tenant: Tenant, stack: Stack, form: Any
) -> None:
    session = agent.sessions.create()

    stored = agent.sessions.store_message(session.id, blob=SENT[form], format=form)
    read = agent.sessions.get_messages(session.id, format=form)

    if form == "acontext":
        assert read.items[0]["parts"] == SENT[form]["parts"]
    else:
        assert read.items == [SENT[form]]
    raw = agent.sessions.get_messages(session.id, format="acontext").items[0]["parts"]
    assert [part.model_dump(exclude_none=True) for part in stored.parts] == raw
    (row,) = rows_of(tenant)
    (file,) = stored_files(stack, tenant)
    assert file.stat().st_size == row.stored_bytes
    assert row.row_bytes is not None
    assert row.row_bytes < 3_000
    for content in (PICTURE, SOUND, PAPER):
        assert b64(content)[:60] not in str(row.parts)


def test_each_format_gives_the_files_of_the_others_byte_for_byte(agent: AcontextClient) -> None:
    session = agent.sessions.create()
    agent.sessions.store_message(session.id, blob=in_openai())
    agent.sessions.store_message(session.id, blob=in_anthropic(), format="anthropic")

    first, second = agent.sessions.get_messages(session.id, format="anthropic").items
    assert [block["type"] for block in first["content"]] == ["text", "image", "document"]
    assert base64.b64decode(first["content"][1]["source"]["data"]) == PICTURE
    assert base64.b64decode(first["content"][2]["source"]["data"]) == PAPER
    assert second == in_anthropic()
    back = [item for item in agent.sessions.get_messages(session.id).items if item["role"] == "user"]
    assert back[0] == in_openai()
    assert back[1]["content"][0]["image_url"]["url"] == url_of(PICTURE)


ODD = {
    "without padding": b64(PICTURE + b"ab").rstrip("="),
    "in lines": "\r\n".join(b64(PICTURE)[at : at + 76] for at in range(0, 4_000, 76)),
    "in the alphabet for addresses": base64.urlsafe_b64encode(PICTURE * 2).decode(),
    "with bits after its end": b64(PICTURE + b"a")[:-3] + "R==",
    "a drawing that is text": "data:image/svg+xml;utf8," + "<svg xmlns='x'>深圳</svg>" * 60,
    "a data URL with parameters": "data:image/png;name=a.png;base64," + b64(PICTURE),
    "a data URL of nothing": "data:image/png;base64,",
    "an address": "https://example.org/a.png?" + "x=1&" * 400,
    "words": "It is no picture. " * 100,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_whatever_stands_in_place_of_a_picture_comes_back_letter_for_letter(
    agent: AcontextClient, text: str
) -> None:
    blob = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": text}}]}
    session = agent.sessions.create()

    agent.sessions.store_message(session.id, blob=blob)

    assert agent.sessions.get_messages(session.id).items == [blob]


def test_files_are_charged_by_their_size_and_texts_wherever_they_stand(agent: AcontextClient) -> None:
    session = agent.sessions.create()
    large = os.urandom(3 * 1024 * 1024)
    blob = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url_of(large)}}]}

    agent.sessions.store_message(session.id, blob=blob)

    told = agent.sessions.get_token_counts(session.id).total_tokens
    assert 3_072 <= told <= 3_080
    assert agent.sessions.get_messages(session.id).this_time_tokens == told
    # What is no file is text, and more than a call may have.
    hidden = "It is no picture. " * 20_000
    source = {"type": "text", "media_type": "text/plain", "data": hidden}
    document = {"role": "user", "content": [{"type": "document", "source": source}]}
    assert status_of(agent.sessions.store_message, session.id, blob=document, format="anthropic") == 413
    listed = {
        "role": "user",
        "parts": [{"type": "data", "meta": {"data_type": "n", "n": [12345678] * 60_000}}],
    }
    assert status_of(agent.sessions.store_message, session.id, blob=listed, format="acontext") == 413


def test_a_file_beside_a_message_is_fetched_by_its_link_and_stands_in_other_formats(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create()
    own = build_acontext_message(
        role="user", parts=["What is this?", MessagePart(type="image", file_field="photo")]
    )

    stored = agent.sessions.store_message(
        session.id,
        blob=own,
        format="acontext",
        file_field="photo",
        file=FileUpload(filename="海边.png", content=PICTURE, content_type="image/png"),
    )

    part = stored.parts[1]
    assert part.asset is not None
    assert part.filename == "海边.png"
    assert (part.asset.mime, part.asset.size_b) == ("image/png", len(PICTURE))
    read = agent.sessions.get_messages(session.id, format="acontext")
    assert read.public_urls is not None
    answer = httpx.get(read.public_urls[part.asset.sha256].url, trust_env=False)
    assert (answer.status_code, answer.content) == (200, PICTURE)
    assert answer.headers["content-security-policy"].startswith("sandbox")
    quiet = agent.sessions.get_messages(session.id, format="acontext", with_asset_public_url=False)
    assert not quiet.public_urls
    content = agent.sessions.get_messages(session.id).items[0]["content"]
    assert content[1]["image_url"]["url"] == url_of(PICTURE)
    block = agent.sessions.get_messages(session.id, format="anthropic").items[0]["content"][1]
    assert base64.b64decode(block["source"]["data"]) == PICTURE

    url = read.public_urls[part.asset.sha256].url
    agent.sessions.delete(session.id)
    assert httpx.get(url, trust_env=False).status_code == 404
    assert httpx.get(url + "x", trust_env=False).status_code == 404


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        (
            '{"format": "acontext", "blob": {"role": "user", "parts": [{"type": "file", "file_field": "b"}]}}',
            "a",
        ),
        ('{"format": "acontext", "blob": {"role": "user", "parts": [{"type": "text", "text": "Hi"}]}}', "a"),
        (
            '{"format": "acontext", "blob": {"role": "user", "parts":'
            ' [{"type": "text", "text": "Hi", "file_field": "a"}]}}',
            "a",
        ),
        ('{"blob": {"role": "user", "content": "Hi"}}', "a"),
        ("{", "a"),
        ("", "a"),
    ],
)
def test_a_file_that_no_part_names_is_refused_and_nothing_is_stored(
    http: httpx.Client, tenant: Tenant, stack: Stack, payload: str, field: str
) -> None:
    session = http.post("session", json={}).json()["data"]["id"]

    answer = http.post(
        f"session/{session}/messages", data={"payload": payload}, files={field: ("a.bin", PICTURE)}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, 400)
    assert rows_of(tenant) == []
    assert stored_files(stack, tenant) == []


def test_no_file_is_left_of_a_message_to_a_session_that_is_not_there(
    agent: AcontextClient, tenant: Tenant, stack: Stack
) -> None:
    session = agent.sessions.create()
    agent.sessions.delete(session.id)

    assert status_of(agent.sessions.store_message, session.id, blob=in_openai()) == 404
    assert stored_files(stack, tenant) == []


def test_files_go_with_the_session_and_with_the_person(
    agent: AcontextClient, tenant: Tenant, stack: Stack
) -> None:
    of_kim, of_lee = agent.sessions.create(user="kim"), agent.sessions.create(user="lee")
    for session in (of_kim, of_lee):
        agent.sessions.store_message(session.id, blob=in_openai(os.urandom(4_000)))
    assert len(stored_files(stack, tenant)) == 2

    agent.sessions.delete(of_kim.id)
    (left,) = stored_files(stack, tenant)
    assert agent.sessions.get_messages(of_lee.id).ids

    agent.users.delete("lee")
    assert stored_files(stack, tenant) == []
    assert not left.exists()


def test_files_go_with_the_project_and_its_receipt_counts_them(
    agent: AcontextClient, tenant: Tenant, stack: Stack
) -> None:
    session = agent.sessions.create(disable_task_tracking=True)
    for _ in range(2):
        agent.sessions.store_message(session.id, blob=in_openai())
    project, stored = tenant.project, sum(row.stored_bytes for row in rows_of(tenant))
    with tenant_scope(project.account):
        held = holdings(project)
    assert (held["files"], held[BYTES]) == (2, stored)

    deletion = delete_and_wait(project, owner_of(tenant))

    assert (deletion.removed["files"], deletion.removed[BYTES]) == (2, stored)
    assert deletion.removed["session_messages"] == 2
    assert stored_files(stack, tenant) == []


def test_a_file_that_no_message_names_goes_when_it_is_a_day_old(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create()
    agent.sessions.store_message(session.id, blob=in_openai())
    named = rows_of(tenant)[0].storage_key
    rules = storage.Rules(10_000, lambda head, name: (storage.FileKind.TXT, "application/octet-stream"))
    lost, newborn = (storage.store_file(tenant.project, ROOM, [b"lost"], "", rules).key for _ in range(2))
    then = time.time() - 25 * 3600
    for key in (named, lost):
        os.utime(storage.storage().path(key), (then, then))

    sweep_skill_files()

    assert [Path(storage.storage().path(key)).exists() for key in (named, lost, newborn)] == [
        True,
        False,
        True,
    ]


def sent_by_an_earlier_release(tenant: Tenant, *names: str) -> str:
    """A session whose messages hold their files in their rows and were never counted."""
    session, _ = create_session(tenant.project, NewSession(disable_task_tracking=True))
    for name in names:
        said = normalised(name, SENT[name])
        message, _ = store_message(tenant.project, session.public_id, NewMessage.of(said), {"n": name})
        with tenant_scope(tenant.project):
            rows = SessionMessage.objects.within(tenant.project).filter(pk=message.pk)
            storage.delete_files(rows.values_list("storage_key", flat=True))
            rows.update(
                parts=said.parts, files=None, storage_key="", stored_bytes=0, row_bytes=None, tokens=None
            )
    return str(session.public_id)


def test_messages_of_earlier_releases_are_read_as_they_are_and_move_to_the_storage(
    agent: AcontextClient, tenant: Tenant, stack: Stack
) -> None:
    session = sent_by_an_earlier_release(tenant, *SENT)
    before = {form: agent.sessions.get_messages(session, format=form) for form in SENT}  # type: ignore[arg-type]
    tokens = agent.sessions.get_token_counts(session).total_tokens
    assert stored_files(stack, tenant) == []

    assert recount_messages() >= 3

    assert len(stored_files(stack, tenant)) == 3
    assert all(row.storage_key and row.tokens and row.row_bytes for row in rows_of(tenant))
    for form, read in before.items():
        assert agent.sessions.get_messages(session, format=form) == read  # type: ignore[arg-type]
    assert agent.sessions.get_token_counts(session).total_tokens == tokens
    recount_messages()
    assert len(stored_files(stack, tenant)) == 3


def test_a_move_to_the_storage_that_breaks_off_loses_nothing(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent_by_an_earlier_release(tenant, "openai", "anthropic")
    with files_in_bucket(monkeypatch) as bucket:
        bucket.is_away = True
        with pytest.raises(OperationFailed):
            recount_messages()
        assert [row.parts for row in rows_of(tenant)] == [
            normalised(name, SENT[name]).parts for name in ("openai", "anthropic")
        ]
        bucket.is_away = False

        recount_messages()

        assert sorted(bucket.objects) == sorted(row.storage_key for row in rows_of(tenant))
        for row, name in zip(rows_of(tenant), ("openai", "anthropic"), strict=True):
            assert with_files(row, with_uploads=False).parts == normalised(name, SENT[name]).parts


@pytest.fixture
def in_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    with files_in_bucket(monkeypatch) as running:
        yield running


def test_files_in_a_bucket_are_written_before_the_row_read_and_deleted(
    tenant: Tenant, in_bucket: Bucket
) -> None:
    session, _ = create_session(tenant.project, NewSession(disable_task_tracking=True))
    new = NewMessage.of(normalised("openai", in_openai()))
    in_bucket.is_away = True
    with pytest.raises(OperationFailed):
        store_message(tenant.project, session.public_id, new, {})
    assert rows_of(tenant) == []
    in_bucket.is_away = False

    stored, _ = store_message(tenant.project, session.public_id, new, {})

    (row,) = rows_of(tenant)
    assert list(in_bucket.objects) == [row.storage_key]
    assert with_files(row, with_uploads=False).parts == stored.parts
    delete_session(tenant.project, session.public_id)
    assert in_bucket.objects == {}
