"""Lists of the files of a knowledge base: pages, deletion, repeated uploads, limits."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from knowledgebase.bases.bases import load_base
from knowledgebase.models import KnowledgeBase
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.expect import UNKNOWN_ID, accepted, refused
from tests.support.knowledge.file_requests import POLICY, add, held, send_form
from tests.support.knowledge.knowledge import fetch_files, file_item, new_base, upload, wait_for_files
from tests.support.tasks.request_log import wait_for_log_row


def test_a_list_has_pages_types_and_the_newest_first(api: Api) -> None:
    base = new_base(api)
    names = [f"{number}.md" for number in range(5)]
    for name in names:
        upload(api, base, {name: POLICY + name.encode()})

    page = api.data("get/knowledgebase-file", {"knowledgebase_id": base, "page": 2, "page_size": 2})

    assert (page["total"], page["page"], page["page_size"]) == (5, 2, 2)
    assert [file["name"] for file in page["file_detail_list"]] == names[::-1][2:4]
    assert {"id", "type", "name", "size", "status", "reason", "state"} <= set(page["file_detail_list"][0])
    assert isinstance(page["file_detail_list"][0]["size"], str)
    empty = api.data("get/knowledgebase-file", {"knowledgebase_id": base, "page": 9})
    assert (empty["total"], empty["file_detail_list"]) == (5, [])


def test_files_are_told_in_the_order_of_their_ids(api: Api) -> None:
    base = new_base(api)
    ids = [upload(api, base, {name: POLICY + name.encode()})[0]["id"] for name in ("a.md", "b.md")]

    data = api.data("get/knowledgebase-file", {"file_ids": [ids[1], ids[0], ids[1]]})

    assert [file["id"] for file in data["file_detail_list"]] == [ids[1], ids[0]]
    assert data["total"] == 2


@pytest.mark.parametrize(
    ("body", "code", "word"),
    [
        ({}, 40002, "file_ids or knowledgebase_id"),
        ({"file_ids": None, "knowledgebase_id": None, "type": None, "page": None}, 40002, ""),
        ({"file_ids": [], "knowledgebase_id": None}, 40003, "file_ids"),
        ({"file_ids": ["x"], "knowledgebase_id": "y"}, 40000, "not both"),
        ({"file_ids": ["x"]}, 40001, "x"),
        ({"file_ids": [UNKNOWN_ID]}, 40001, "file_ids"),
        ({"file_ids": "x"}, 40000, "file_ids"),
        ({"file_ids": [5]}, 40000, "file_ids"),
        ({"knowledgebase_id": ["x"]}, 40000, "knowledgebase_id"),
        ({"knowledgebase_id": "x", "page": 0}, 40000, "page"),
        ({"knowledgebase_id": "x", "page_size": 101}, 40000, "page_size"),
        ({"knowledgebase_id": "x", "page": 50_000, "page_size": 100}, 40000, "page"),
        ({"knowledgebase_id": "x", "type": "video"}, 40006, "video"),
    ],
)
def test_a_list_must_be_asked_for_properly(api: Api, body: dict[str, Any], code: int, word: str) -> None:
    refused(api.call("get/knowledgebase-file", body), code, word)


def test_deleted_files_are_gone_and_their_room_is_free(api: Api, developer: Tenant, user: str) -> None:
    base = new_base(api)
    gone, stays = (
        item["id"] for item in upload(api, base, {"a.md": POLICY, "b.md": b"A taxi may cost 50 euros."})
    )
    wait_for_files(api, base)

    answer = api.call("delete/knowledgebase-file", {"file_ids": [gone], "knowledgebase_id": base})

    assert accepted(answer) == {"success": True}
    assert [file["id"] for file in fetch_files(api, base)] == [stays]
    refused(api.call("get/knowledgebase-file", {"file_ids": [gone]}), 40001, gone)
    assert len(held(developer, base)) == 1
    assert load_base(developer.project, base).bytes_used == len(b"A taxi may cost 50 euros.")
    facts = api.facts(user, "What may a hotel cost?", knowledgebase_ids=[base], relativity=0)
    assert facts
    assert not any("120" in fact for fact in facts)


def test_one_bad_id_deletes_nothing(api: Api) -> None:
    base = new_base(api)
    file = upload(api, base, {"a.md": POLICY})[0]["id"]

    refused(api.call("delete/knowledgebase-file", {"file_ids": [file, uuid4().hex]}), 40001)
    refused(api.call("delete/knowledgebase-file", {"file_ids": []}), 40003)
    refused(api.call("delete/knowledgebase-file", {"knowledgebase_id": base}), 40002)

    assert [row["id"] for row in fetch_files(api, base)] == [file]


def test_the_same_content_is_the_same_file(api: Api, developer: Tenant) -> None:
    base = new_base(api)
    first = upload(api, base, {"policy.md": POLICY})[0]
    wait_for_files(api, base)

    again, twice, other = accepted(
        add(
            api,
            base,
            file_item("copy.md", POLICY),
            file_item("policy.md", POLICY),
            file_item("more.md", POLICY + b"More."),
        )
    )

    assert again["id"] == twice["id"] == first["id"] != other["id"]
    assert again["status"] == "completed"
    assert len(held(developer, base)) == 2
    assert load_base(developer.project, base).bytes_used == 2 * len(POLICY) + 5


def test_the_same_content_twice_in_a_form_is_one_file(api: Api, developer: Tenant) -> None:
    base = new_base(api)

    first_file, second_file = accepted(send_form(api, base, ("a.md", POLICY), ("b.md", POLICY)))

    assert first_file == second_file
    assert len(held(developer, base)) == 1


def test_the_same_content_is_a_file_of_its_own_in_another_base(api: Api) -> None:
    files = [upload(api, new_base(api), {"policy.md": POLICY})[0]["id"] for _ in range(2)]

    assert files[0] != files[1]


def test_a_repeated_request_adds_nothing(api: Api, developer: Tenant) -> None:
    base = new_base(api)
    headers = {"Idempotency-Key": uuid4().hex}
    body = {"knowledgebase_id": base, "file": [{"content": "https://example.org/a.md"}]}

    first, again = (api.call("add/knowledgebase-file", body, headers=headers) for _ in range(2))

    assert [file["id"] for file in accepted(first)] == [file["id"] for file in accepted(again)]
    assert len(fetch_files(api, base)) == 1
    body["file"] = [file_item("b.md", POLICY)]
    refused(api.call("add/knowledgebase-file", body, headers=headers), 40000, "Idempotency-Key")
    assert held(developer, base) == []


def test_a_repeated_form_adds_nothing(api: Api, developer: Tenant) -> None:
    base, headers = new_base(api), {"Idempotency-Key": uuid4().hex}

    def send(content: bytes) -> httpx.Response:
        files = [("file", ("a.md", content))]
        return api.post(
            "add/knowledgebase-file", params={"knowledgebase_id": base}, files=files, headers=headers
        )

    assert accepted(send(POLICY)) == accepted(send(POLICY))
    refused(send(POLICY + b"."), 40000, "Idempotency-Key")
    assert len(held(developer, base)) == 1


def test_a_full_base_takes_no_more_and_says_what_helps(api: Api, developer: Tenant) -> None:
    base = new_base(api)
    allowed = developer.project.account.plan.knowledge_base_gigabytes * 1024**3
    fill(developer, base, allowed - len(POLICY) - 10)
    upload(api, base, {"a.md": POLICY})

    answer = add(api, base, file_item("b.md", POLICY + b"More than that"))

    refused(answer, 40304, "delete files", status=400)
    assert len(fetch_files(api, base)) == 1
    assert len(held(developer, base)) == 1
    fill(developer, base, allowed)
    refused(add(api, base, {"content": "https://example.org/a.md"}), 40304)
    assert len(fetch_files(api, base)) == 1


def fill(tenant: Tenant, base: str, size: int) -> None:
    with tenant_scope(tenant.project):
        KnowledgeBase.objects.within(tenant.project.account).filter(public_id=base).update(bytes_used=size)


def test_the_log_of_an_upload_names_files_and_holds_none(api: Api, developer: Tenant) -> None:
    base = new_base(api)
    answers = [add(api, base, file_item("a.md", POLICY)), send_form(api, base, ("b.md", POLICY + b"x"))]

    for answer, name in zip(answers, ["a.md", "b.md"], strict=True):
        row = wait_for_log_row(developer.project, answer.headers["X-Request-Id"])
        sent = json.loads(row.request_body)
        assert (row.endpoint, sent["file"][0]["name"]) == ("add/knowledgebase-file", name)
        assert sent["knowledgebase_id"] == base
        assert "set aside" in sent["file"][0]["content"]


def test_a_list_asks_the_database_no_more_for_many_files(tenant: Tenant) -> None:
    client = Client(HTTP_HOST="localhost", HTTP_AUTHORIZATION=f"Token {tenant.key}")
    with tenant.api() as api:
        base = new_base(api)
        ids = [item["id"] for item in upload(api, base, {"a.md": POLICY})]

        def asked(**body: Any) -> int:
            with CaptureQueriesContext(connection) as queries:
                answer = client.post(
                    "/api/openmem/v1/get/knowledgebase-file", body, content_type="application/json"
                )
            assert answer.status_code == 200
            return len(queries)

        asked(knowledgebase_id=base)
        few = asked(knowledgebase_id=base), asked(file_ids=ids)
        more = {f"{number}.md": POLICY + str(number).encode() for number in range(10)}
        ids += [item["id"] for item in upload(api, base, more)]

        assert (asked(knowledgebase_id=base), asked(file_ids=ids)) <= (few[0] + 1, few[1] + 1)
        assert few[0] < 15
