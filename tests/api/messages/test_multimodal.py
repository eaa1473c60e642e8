"""Files and images in messages: checked on arrival, stored, read, remembered, deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from console.embedded.stack import Stack
from memories.models import Message, Task
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project, RequestLog, User
from tests.support.api_client import Api, Tenant, message
from tests.support.documents import small_files
from tests.support.documents.attaching import (
    POLICY,
    add,
    all_facts,
    encoded,
    file,
    image,
    list_attachments,
    remembered,
    stored_files,
    text,
)
from tests.support.expect import accepted, refused
from tests.support.servers.file_server import FileServer, drop_by_drop_until
from tests.support.tasks.deletions import delete_and_wait
from tests.support.waiting import LIMIT


@pytest.fixture
def api(tenant: Tenant) -> Iterator[Api]:
    """Of a developer with nothing else in the project."""
    with tenant.api() as client:
        yield client


def test_a_document_becomes_memories_that_say_where_in_it_they_stand(api: Api, user: str) -> None:
    pages = [
        [(20, "Travel policy"), (11, "A night in a hotel may cost 120 euros.")],
        [(11, "Dinner: 30 euros.")],
    ]

    status = remembered(api, user, text("Our rules."), file(encoded(small_files.pdf(pages)), "rules.pdf"))

    assert status == "completed"
    hotel = next(fact for fact in all_facts(api, user) if "120 euros" in fact["memory_value"])
    assert hotel["memory_key"] == "Travel policy"
    assert {"mode:fine", "multimodal:file"} <= set(hotel["tags"])
    [source] = hotel["sources"]
    assert source["content"] == "Our rules."
    about = {name: source["file"][name] for name in ("name", "type", "page", "heading")}
    assert about == {"name": "rules.pdf", "type": "pdf", "page": 1, "heading": "Travel policy"}


def test_what_was_shared_is_remembered_with_the_words_beside_it(api: Api, user: str) -> None:
    remembered(api, user, text("The rules for our trip to Lisbon."), file(encoded(POLICY), "rules.md"))

    shared = [
        fact["memory_value"] for fact in all_facts(api, user) if "shared the document" in fact["memory_value"]
    ]
    assert len(shared) == 1
    assert "rules.md" in shared[0]
    assert "trip to Lisbon" in shared[0]


def test_every_documented_kind_is_read_and_a_row_of_a_table_says_what_its_cells_are(
    api: Api, user: str
) -> None:
    table = [["City", "Limit"], ["Paris", "150 euros"], ["Porto", "90 euros"]]
    kinds = [
        ("a.txt", "The bicycle shed has the code 4711.".encode("utf-16"), "4711"),
        ("b.md", b"## Boat\n\nThe code is 4712.\n", "4712"),
        ("c.json", b'{"cellar": {"code": 4713, "colour": "green"}}', "cellar.code: 4713"),
        ("d.xml", b'<?xml version="1.0"?><doors><door code="4714">Garage</door></doors>', "code: 4714"),
        ("e.docx", small_files.docx_file("The code is 4715.", heading="Loft"), "Loft: The code is 4715."),
        ("f.pdf", small_files.pdf([[(11, "The code of the gate is 4716.")]]), "4716"),
        ("limits.docx", small_files.docx_file("Limits.", rows=table), "City: Porto; Limit: 90 euros"),
    ]

    parts = [file(encoded(content), name) for name, content, _ in kinds]
    assert remembered(api, user, *parts) == "completed"

    facts = [fact["memory_value"] for fact in all_facts(api, user)]
    for name, _, expected in kinds:
        assert any(expected in fact for fact in facts), name


def test_a_file_is_fetched_from_its_address(api: Api, user: str, files: FileServer) -> None:
    url = files.serves("Travel%20rules.md", POLICY, "application/x-lies")

    assert remembered(api, user, file(url)) == "completed"

    assert any("120 euros" in fact["memory_value"] for fact in all_facts(api, user))
    assert any("Travel rules.md" in fact["memory_value"] for fact in all_facts(api, user))


def test_a_data_url_says_what_it_is(api: Api, user: str) -> None:
    url = f"data:text/markdown;charset=utf-8;base64,{encoded(POLICY)}"

    assert remembered(api, user, file(url)) == "completed"
    assert any(fact["memory_key"] == "Travel policy > Hotels" for fact in all_facts(api, user))


def test_an_image_is_remembered_by_its_name_its_facts_and_the_words_beside_it(api: Api, user: str) -> None:
    place = b"GPSLatitude 48.8584"
    taken = small_files.jpeg(640, 480, "2024:05:17 10:00:00", place)

    assert remembered(
        api, user, text("My dog Rex at the lake."), image(f"data:image/jpeg;base64,{encoded(taken)}")
    )

    fact = next(fact for fact in all_facts(api, user) if "shared the image" in fact["memory_value"])
    for part in ("640 × 480 pixels", "taken on 2024-05-17", "My dog Rex at the lake."):
        assert part in fact["memory_value"]
    assert "GPS" not in json.dumps(fact)
    assert {"image", "visual"} <= set(fact["tags"])


def test_files_are_worked_on_in_the_background_whatever_the_caller_wants(api: Api, user: str) -> None:
    answer = accepted(add(api, user, file(encoded(POLICY), "a.md"), async_mode=False))

    assert answer["status"] == "running"
    assert api.wait_until_done(answer["task_id"]) == "completed"


def test_the_message_keeps_addresses_and_refers_to_what_was_sent_with_it(
    api: Api, user: str, files: FileServer, tenant: Tenant
) -> None:
    url = files.serves("a.md", POLICY)
    remembered(api, user, text("Two files."), file(url), file(encoded(POLICY * 2), "b.md"))

    message = api.data("get/message", {"user_id": user, "conversation_id": "talk"})["message_detail_list"][0]

    words, fetched, sent = message["content"]
    assert words == {"type": "text", "text": "Two files."}
    assert fetched == {"type": "file", "file": {"file_data": url}}
    reference = next(row for row in list_attachments(tenant) if row.part == 2)
    assert sent == {"type": "file", "file": {"file_data": f"attachment:{reference.pk}", "filename": "b.md"}}


def test_what_was_sent_is_neither_in_the_message_nor_in_the_request_log(
    api: Api, tenant: Tenant, user: str
) -> None:
    secret = encoded(b"The canary sings at noon. " * 40)
    remembered(api, user, file(secret, "canary.txt"))
    api.wait_until_done(accepted(add(api, user, text("Done.")))["task_id"])

    with tenant_scope(tenant.project):
        contents = [json.dumps(row.content) for row in Message.objects.within(tenant.project)]
        logged = [row.request_body for row in RequestLog.objects.within(tenant.project)]
    assert not any(secret[:60] in kept for kept in [*contents, *logged])


def test_a_file_far_larger_than_a_body_may_be_is_taken(api: Api, user: str, tenant: Tenant) -> None:
    content = small_files.docx_file("The code of the shed is 4711.")
    padded = small_files.docx_with_ballast(content, 9 * 1024 * 1024)  # a third more as Base64

    assert remembered(api, user, file(encoded(padded), "large.docx")) == "completed"

    assert list_attachments(tenant)[0].size == len(padded)
    assert any("4711" in fact["memory_value"] for fact in all_facts(api, user))


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": "hi", "image_url": {"url": "abc"}},
        {
            "type": "image_url",
            "image_url": {"url": "https://example.org/y.png"},
            "file": {"file_data": "abc"},
        },
    ],
)
def test_a_file_in_a_part_of_another_type_is_refused(api: Api, user: str, part: dict[str, Any]) -> None:
    body = {"user_id": user, "conversation_id": "c", "messages": [{"role": "user", "content": [part]}]}

    refused(api.call("add/message", body), 40000, "takes no")


def test_a_write_repeated_under_its_key_stores_the_file_once(
    api: Api, user: str, stack: Stack, tenant: Tenant
) -> None:
    body = {"user_id": user, "messages": [message("user", [file(encoded(POLICY), "a.md")])]}
    first = accepted(api.call("add/message", body, headers={"Idempotency-Key": "once"}))
    again = api.call("add/message", body, headers={"Idempotency-Key": "once"})

    assert accepted(again) == first
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(stored_files(stack, tenant)) == 1


def test_the_text_beside_a_file_that_fails_is_remembered(api: Api, user: str) -> None:
    remembered(api, user, text("I live in Porto."), file(encoded(b"%PDF-1.7 broken"), "a.pdf"))

    assert any("Porto" in fact["memory_value"] for fact in all_facts(api, user))


def test_a_deleted_user_leaves_no_file(api: Api, user: str, stack: Stack, tenant: Tenant) -> None:
    remembered(api, user, file(encoded(POLICY), "a.md"))
    assert stored_files(stack, tenant)

    accepted(api.call("delete/memory", {"user_id": user}))

    assert stored_files(stack, tenant) == []
    assert all_facts(api, user) == []


def test_a_file_shared_with_somebody_else_stays_until_both_are_deleted(
    api: Api, user: str, stack: Stack, tenant: Tenant
) -> None:
    body = {"user_id": [user, f"{user}-2"], "messages": [message("user", [file(encoded(POLICY), "a.md")])]}
    accepted(api.call("add/message", body))

    accepted(api.call("delete/memory", {"user_id": user}))
    assert len(stored_files(stack, tenant)) == 1
    accepted(api.call("delete/memory", {"user_id": f"{user}-2"}))
    assert stored_files(stack, tenant) == []


def test_a_file_goes_with_the_last_memory_of_it(api: Api, user: str, stack: Stack, tenant: Tenant) -> None:
    remembered(api, user, file(encoded(POLICY), "a.md"))
    first, *others = [fact["id"] for fact in all_facts(api, user)]

    accepted(api.call("delete/memory", {"memory_ids": [first]}))
    assert stored_files(stack, tenant)
    accepted(api.call("delete/memory", {"memory_ids": others}))
    assert stored_files(stack, tenant) == []


def test_a_user_deleted_while_a_file_is_on_its_way_stays_forgotten(
    api: Api, user: str, files: FileServer, stack: Stack, tenant: Tenant
) -> None:
    is_deleted, is_read = Event(), Event()
    slow = files.does("a.txt", drop_by_drop_until(is_deleted, is_read))
    task = accepted(add(api, user, file(slow)))["task_id"]
    assert is_read.wait(LIMIT)
    accepted(api.call("delete/memory", {"user_id": user}))
    is_deleted.set()

    api.wait_until_done(task)
    child = Task.objects.within(tenant.project).get(kind="attachment")
    api.wait_until_done(str(child.pk))
    assert all_facts(api, user) == []
    assert stored_files(stack, tenant) == []


def test_a_deleted_project_leaves_no_file(api: Api, user: str, stack: Stack, tenant: Tenant) -> None:
    remembered(api, user, file(encoded(POLICY), "a.md"))
    assert stored_files(stack, tenant)
    project = Project.objects.get(pk=tenant.project_id)

    delete_and_wait(project, User.objects.get(email=tenant.email))

    assert stored_files(stack, tenant) == []


def test_a_stranger_sees_nothing_of_a_file(api: Api, strangers_api: Api, user: str) -> None:
    task = accepted(add(api, user, file(encoded(POLICY), "a.md")))["task_id"]
    api.wait_until_done(task)

    refused(strangers_api.call("get/status", {"task_id": task}), 50131)
    assert strangers_api.facts(user, "How much may a night in a hotel cost?") == []
