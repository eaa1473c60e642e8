"""A write that is sent twice under one `Idempotency-Key` happens once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tenancy.requests.idempotency import run_once
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.knowledge.knowledge import file_item, new_base
from tests.support.tasks.crashes import SimulatedFailure


@pytest.fixture
def key() -> dict[str, str]:
    return {"Idempotency-Key": uuid4().hex}


def note(user: str, text: str = "I live in Porto.", **options: Any) -> dict[str, Any]:
    return {
        "user_id": user,
        "conversation_id": "talk",
        "messages": [{"role": "user", "content": text}],
        **options,
    }


def stored(api: Api, user: str) -> int:
    return len(api.data("get/message", {"user_id": user, "conversation_id": "talk"})["message_detail_list"])


def test_a_repeated_write_gets_the_first_answer_and_no_second_effect(
    api: Api, user: str, key: dict[str, str]
) -> None:
    first = api.call("add/message", note(user), headers=key)
    again = [api.call(path, note(user), headers=key) for path in ("add/message", "add/message/")]

    assert [accepted(answer)["task_id"] for answer in again] == [accepted(first)["task_id"]] * 2
    assert "Idempotent-Replayed" not in first.headers
    assert [answer.headers["Idempotent-Replayed"] for answer in again] == ["true"] * 2
    assert stored(api, user) == 1


def test_a_repeat_that_waits_learns_that_the_work_is_done(api: Api, user: str, key: dict[str, str]) -> None:
    for _ in range(2):
        answer = api.call("add/message", note(user, async_mode=False), headers=key)
        assert accepted(answer)["status"] == "completed"

    assert stored(api, user) == 1


@pytest.mark.parametrize("path", ["add/message", "add/feedback"])
def test_a_key_serves_one_request_only(api: Api, user: str, key: dict[str, str], path: str) -> None:
    accepted(api.call("add/message", note(user), headers=key))
    others = {
        "add/message": note(user, "I live in Oslo."),
        "add/feedback": {"user_id": user, "feedback_content": "I live in Oslo."},
    }

    refused(api.call(path, others[path], headers=key), 40000, "Idempotency-Key")

    assert stored(api, user) == 1


def test_an_upload_is_answered_again_though_its_base_was_unlinked(api: Api, key: dict[str, str]) -> None:
    base = new_base(api)
    sent = {"knowledgebase_id": base, "file": [file_item("visits.txt", b"Visitors sign in.")]}
    first = api.call("add/knowledgebase-file", sent, headers=key)
    accepted(first)
    accepted(api.call("delete/knowledgebase", {"knowledgebase_id": base}))

    again = api.call("add/knowledgebase-file", sent, headers=key)

    assert accepted(again) == accepted(first)
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_refused_write_does_not_use_up_the_key(api: Api, user: str, key: dict[str, str]) -> None:
    refused(api.call("add/message", note(user, messages=[]), headers=key), 40003)
    refused(api.call("add/message", note(user, allow_knowledgebase_ids=["nobody's"]), headers=key), 50123)

    accepted(api.call("add/message", note(user), headers=key))


def test_while_the_first_is_at_work_its_twin_is_told_to_wait(
    api: Api, developer: Tenant, user: str, key: dict[str, str]
) -> None:
    twins: list[httpx.Response] = []

    def fail_after_twin() -> dict[str, Any]:
        twins.append(api.call("add/message", note(user), headers=key))
        raise SimulatedFailure

    with pytest.raises(SimulatedFailure):
        run_once(developer.project, key["Idempotency-Key"], "add/message", note(user), fail_after_twin)

    refused(twins[0], 40000, "in progress", status=409)
    accepted(api.call("add/message", note(user), headers=key))


def test_twenty_twins_at_once_have_one_effect(api: Api, user: str, key: dict[str, str]) -> None:
    def send(_: int) -> httpx.Response:
        return api.call("add/message", note(user), headers=key)

    with ThreadPoolExecutor(20) as crowd:
        answers = list(crowd.map(send, range(20)))

    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len({answer.json()["data"]["task_id"] for answer in answers if answer.status_code == 200}) == 1
    assert stored(api, user) == 1


def test_another_project_may_use_the_same_key(
    api: Api, strangers_api: Api, user: str, key: dict[str, str]
) -> None:
    tasks = [
        accepted(client.call("add/message", note(user), headers=key))["task_id"]
        for client in (api, strangers_api)
    ]

    assert len(set(tasks)) == 2


def test_a_deletion_may_be_repeated(api: Api, user: str, key: dict[str, str]) -> None:
    api.add(user, "I live in Porto.")

    for _ in range(2):
        assert accepted(api.call("delete/memory", {"user_id": user}, headers=key)) == {"success": True}


def test_a_key_that_is_too_long_is_refused(api: Api, user: str) -> None:
    refused(
        api.call("add/message", note(user), headers={"Idempotency-Key": "x" * 256}), 40000, "Idempotency-Key"
    )


def test_without_a_key_the_same_write_happens_twice(api: Api, user: str) -> None:
    for _ in range(2):
        accepted(api.call("add/message", note(user)))

    assert stored(api, user) == 2
