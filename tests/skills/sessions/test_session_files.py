"""Pictures, sound and documents in messages of sessions: stored as files, given back byte for byte, gone with them."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

import httpx
import pytest
from acontext import AcontextClient, FileUpload
from acontext.messages import MessagePart, build_acontext_message

from console.data.erasure.delete_rows import count_holdings
from console.embedded.stack import Stack
from tenancy.isolation.scoping import tenant_scope
from tenancy.models.deletion import BYTES
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant
from tests.support.documents.attaching import stored_files
from tests.support.skills.contract import get_refused_status
from tests.support.skills.session_files import (
    PAPER,
    PICTURE,
    SENT,
    SOUND,
    b64,
    build_data_url,
    in_anthropic,
    in_openai,
    list_rows,
)
from tests.support.tasks.deletions import delete_and_wait
from tests.support.waiting import LIMIT


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
    (row,) = list_rows(tenant)
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
    assert back[1]["content"][0]["image_url"]["url"] == build_data_url(PICTURE)


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
    blob = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": build_data_url(large)}}]}

    agent.sessions.store_message(session.id, blob=blob)

    tokens = agent.sessions.get_token_counts(session.id).total_tokens
    assert 3_072 <= tokens <= 3_080
    assert agent.sessions.get_messages(session.id).this_time_tokens == tokens
    # What is no file is text, and more than a call may have.
    hidden = "It is no picture. " * 20_000
    source = {"type": "text", "media_type": "text/plain", "data": hidden}
    document = {"role": "user", "content": [{"type": "document", "source": source}]}
    assert (
        get_refused_status(agent.sessions.store_message, session.id, blob=document, format="anthropic") == 413
    )
    listed = {
        "role": "user",
        "parts": [{"type": "data", "meta": {"data_type": "n", "n": [12345678] * 60_000}}],
    }
    assert get_refused_status(agent.sessions.store_message, session.id, blob=listed, format="acontext") == 413


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
    answer = httpx.get(read.public_urls[part.asset.sha256].url, trust_env=False, timeout=LIMIT)
    assert (answer.status_code, answer.content) == (200, PICTURE)
    assert answer.headers["content-security-policy"].startswith("sandbox")
    quiet = agent.sessions.get_messages(session.id, format="acontext", with_asset_public_url=False)
    assert not quiet.public_urls
    content = agent.sessions.get_messages(session.id).items[0]["content"]
    assert content[1]["image_url"]["url"] == build_data_url(PICTURE)
    block = agent.sessions.get_messages(session.id, format="anthropic").items[0]["content"][1]
    assert base64.b64decode(block["source"]["data"]) == PICTURE

    url = read.public_urls[part.asset.sha256].url
    agent.sessions.delete(session.id)
    assert httpx.get(url, trust_env=False, timeout=LIMIT).status_code == 404
    assert httpx.get(url + "x", trust_env=False, timeout=LIMIT).status_code == 404


ODD_NAMES = {
    "a\nb.png": "ab.png",
    "a;b=\r\nX: y.png": "a;b=X: y.png",
    "x/..": "file",
    ".": "file",
    "/": "file",
    "photos/beach.png": "beach.png",
    "\u202egnp.exe": "gnp.exe",
}


@pytest.mark.parametrize(("sent", "saved"), ODD_NAMES.items())
def test_a_file_of_any_name_is_fetched_and_saved_under_a_name_that_a_computer_can_take(
    agent: AcontextClient, http: httpx.Client, sent: str, saved: str
) -> None:
    session = agent.sessions.create()
    part = {"type": "image", "file_field": "photo", "filename": sent}
    payload = {"format": "acontext", "blob": {"role": "user", "parts": [part]}}
    stored = http.post(
        f"session/{session.id}/messages",
        data={"payload": json.dumps(payload)},
        files={"photo": ("a.png", PICTURE, "image/png")},
    )
    assert stored.status_code == 201, stored.text

    urls = agent.sessions.get_messages(session.id, format="acontext").public_urls
    assert urls is not None
    (url,) = urls.values()
    answer = httpx.get(url.url, trust_env=False, timeout=LIMIT)

    assert (answer.status_code, answer.content) == (200, PICTURE)
    assert answer.headers["content-disposition"] == f'attachment; filename="{saved}"'


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
    assert list_rows(tenant) == []
    assert stored_files(stack, tenant) == []


def test_no_file_is_left_of_a_message_to_a_session_that_is_not_there(
    agent: AcontextClient, tenant: Tenant, stack: Stack
) -> None:
    session = agent.sessions.create()
    agent.sessions.delete(session.id)

    assert get_refused_status(agent.sessions.store_message, session.id, blob=in_openai()) == 404
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
    project, stored = tenant.project, sum(row.stored_bytes for row in list_rows(tenant))
    with tenant_scope(project.account):
        held = count_holdings(project)
    assert (held["files"], held[BYTES]) == (2, stored)

    deletion = delete_and_wait(project, get_owner(tenant))

    assert (deletion.removed["files"], deletion.removed[BYTES]) == (2, stored)
    assert deletion.removed["session_messages"] == 2
    assert stored_files(stack, tenant) == []
