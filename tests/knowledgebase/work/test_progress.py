"""From the upload to the search: through the API, done by the worker, watched by an open page."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from console.embedded.stack import Stack
from knowledgebase.values import FileState
from tests.support.api_client import Api, Tenant
from tests.support.console.sockets import feed, signed_in
from tests.support.documents import small_files
from tests.support.knowledge.knowledge import fetch_file, new_base, upload, wait_for_files
from tests.support.waiting import LIMIT

POLICY = b"# Travel\n\nTrains are first class.\n\n# Software\n\nA licence costs at most 800 CNY."
UNPACKED = 310 * 1024 * 1024


def test_an_open_page_hears_of_each_step(stack: Stack, tenant: Tenant, api: Api) -> None:
    base = new_base(api)
    heard: list[dict[str, Any]] = []
    with feed(stack, tenant, signed_in(tenant)) as page:
        page.recv(LIMIT)
        [file] = upload(api, base, {"policy.md": POLICY})
        while not heard or heard[-1]["state"] != "completed":
            event = json.loads(page.recv(LIMIT))
            if event["topic"] == "kbfile":
                heard.append(event)

    assert {(event["base"], UUID(event["id"])) for event in heard} == {(base, UUID(file["id"]))}
    states = list(dict.fromkeys(event["state"] for event in heard))
    # The web server says that it waits, the worker all that follows; a quick worker is heard first.
    assert FileState.QUEUED.value in states
    steps = [state.value for state in FileState if state not in {FileState.QUEUED, FileState.FAILED}]
    assert [state for state in states if state != FileState.QUEUED.value] == steps
    assert (heard[-1]["done"], heard[-1]["total"]) == (2, 2)


def test_what_was_uploaded_is_found(api: Api) -> None:
    base = new_base(api)
    files = {
        "policy.md": POLICY,
        "shed.txt": b"The shed is closed in winter.",
        "oven.pdf": small_files.pdf([[(11, "The oven is heated to 220 degrees.")]]),
    }
    upload(api, base, files)
    wait_for_files(api, base)

    for question, answer in (
        ("What may a licence cost?", "800 CNY"),
        ("When is the shed closed?", "closed in winter"),
        ("How hot is the oven?", "220 degrees"),
    ):
        facts = api.facts("kim", question, knowledgebase_ids=[base], relativity=0)
        assert answer in facts[0], facts


def test_a_hostile_file_harms_nobody(api: Api) -> None:
    base = new_base(api)
    parts = {"[Content_Types].xml": b"<Types/>", "word/document.xml": b" " * UNPACKED}
    bomb = small_files.archive(**parts)
    bad, well = upload(api, base, {"bomb.docx": bomb, "shed.txt": b"The shed is closed in winter."})
    wait_for_files(api, base)

    assert fetch_file(api, bad["id"])["status"] == "failed"
    assert fetch_file(api, well["id"])["status"] == "completed"
    assert "closed in winter" in api.facts("kim", "the shed", knowledgebase_ids=[base], relativity=0)[0]
