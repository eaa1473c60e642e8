"""Anyone who names a knowledge base finds there what was said on any topic, and is told what is not there, and why."""

from __future__ import annotations

from typing import Any

import pytest

from knowledgebase.bases.bases import create_base, unlink_base
from knowledgebase.models import KnowledgeBase
from memories.models import Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tests.support.api_client import Api, Tenant, message
from tests.support.documents.policies import LIMITS, create_base_with_passages, held
from tests.support.tasks.feedback import give
from tests.support.waiting import wait_until


def say(api: Api, base: KnowledgeBase, *words: Any, **options: Any) -> list[dict[str, Any]]:
    """What get/status tells of what is not in the base."""
    task = api.add("kim", *words, allow_knowledgebase_ids=[base.public_id], **options)["task_id"]
    omissions: list[dict[str, Any]] = api.data("get/status", {"task_id": task}).get("not_written", [])
    return omissions


def give_feedback(api: Api, base: KnowledgeBase, words: str, **options: Any) -> list[dict[str, Any]]:
    body = {
        "user_id": "kim",
        "feedback_content": words,
        "allow_knowledgebase_ids": [base.public_id],
        **options,
    }
    task = api.data("add/feedback", body)["task_id"]
    assert api.wait_until_done(task) == "completed"
    omissions: list[dict[str, Any]] = api.data("get/status", {"task_id": task}).get("not_written", [])
    return omissions


def test_a_named_base_takes_knowledge_on_any_topic(api: Api, tenant: Tenant) -> None:
    by_message = create_base_with_passages(tenant.project, (LIMITS,), "by message")
    by_feedback = create_base_with_passages(tenant.project, (LIMITS,), "by feedback")
    statements = [
        "Bananas are rich in potassium.",
        "The bread is baked at 230 degrees.",
        "The roof of the sports hall collapsed on 3 May 2025.",
        "图书馆每人最多借五本书。",
    ]

    assert say(api, by_message, *statements) == []
    assert [give_feedback(api, by_feedback, statement) for statement in statements[2:]] == [[]] * 2

    assert sorted(held(tenant.project, by_message)) == sorted([LIMITS, *statements])
    assert held(tenant.project, by_feedback) == [LIMITS, *statements[2:]]


def test_who_speaks_for_an_organisation_says_nothing_of_himself(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    statements = (
        "Our clinic opens at eight.",
        "Our law office charges 300 pounds an hour.",
        "我们律所每小时收费三百镑。",
    )

    assert say(api, base, *statements) == []

    assert set(held(tenant.project, base)) == {
        LIMITS,
        "The clinic opens at eight.",
        "The law office charges 300 pounds an hour.",
        "律所每小时收费三百镑。",
    }


def test_each_message_that_stays_out_of_the_base_is_named_with_its_reason(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))

    omissions = say(
        api,
        base,
        "I am a nurse.",
        message("assistant", "Nurses get free parking."),
        "The canteen opens at eight.",
        "The procurement limit for office software is 800 yuan.",
        "My old school is in Leeds.",
        "ok, thanks",
    )

    assert held(tenant.project, base) == [LIMITS, "The canteen opens at eight."]
    assert {omission["reason"]: omission["messages"] for omission in omissions} == {
        "personal": [0, 4],
        "not_said_by_user": [1],
        "known": [3],
        "says_nothing": [5],
    }
    assert {name for omission in omissions for name in omission["knowledgebase_ids"]} == {base.public_id}


def test_what_was_told_of_one_request_is_not_told_again_with_the_next(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    assert say(api, base, "I am a nurse.")

    assert say(api, base, "The canteen opens at eight.") == []


def test_feedback_that_stays_out_of_the_base_is_named_with_its_reason(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))

    for words, reason in (
        ("我住在成都。", "personal"),
        ("What is the limit for office software?", "says_nothing"),
        ("Thanks a lot!", "says_nothing"),
        ("The procurement limit for office software is 800 yuan.", "known"),
    ):
        omissions = give_feedback(api, base, words)

        assert omissions == [{"reason": reason, "knowledgebase_ids": [base.public_id]}], words
    assert held(tenant.project, base) == [LIMITS]


def test_bases_that_are_allowed_as_all_are_only_put_right_and_the_status_says_so(
    api: Api, tenant: Tenant
) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))

    answer = api.add("kim", "Bananas are rich in potassium.", allow_knowledgebase_ids="all")

    status = api.data("get/status", {"task_id": answer["task_id"]})
    assert status["not_written"] == [
        {"reason": "not_named", "messages": [0], "knowledgebase_ids": [base.public_id]}
    ]
    assert held(tenant.project, base) == [LIMITS]


def test_the_trace_of_a_synchronous_request_names_what_was_not_written(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    body = {
        "user_id": "kim",
        "messages": [message("user", "I am a nurse.")],
        "allow_knowledgebase_ids": [base.public_id],
        "async_mode": False,
    }
    request = api.call("add/message", body).headers["X-Request-Id"]

    def entry() -> RequestLog | None:
        with tenant_scope(tenant.project):
            return RequestLog.objects.within(tenant.project).filter(request_id=request).first()

    wait_until(lambda: entry() is not None)
    logged = entry()
    assert logged is not None
    (waited,) = [step["note"] for step in logged.trace if step["stage"] == "wait"]
    assert [omission["reason"] for omission in waited["not_written"]] == ["personal"]


def conversations(api: Api, base: KnowledgeBase, query: str) -> dict[str, str]:
    """What another user is shown, with the conversation that it came from."""
    result = api.search("lou", query, knowledgebase_ids=[base.public_id], relativity=0)
    return {memory["memory_value"]: memory["conversation_id"] for memory in result["memory_detail_list"]}


@pytest.mark.parametrize("way", ["feedback", "message"])
def test_a_correction_has_the_conversation_that_it_came_from(api: Api, tenant: Tenant, way: str) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    words = "The procurement limit for office software is 600 yuan, not 800 yuan."

    if way == "feedback":  # of a conversation of which no message is held
        give(api, tenant, words, allow_knowledgebase_ids=[base.public_id], conversation_id="1212")
    else:
        say(api, base, words, conversation_id="1212")

    assert conversations(api, base, "What is the limit for office software?") == {
        LIMITS.replace("office software is 800", "office software is 600"): "default_session",
        "The procurement limit for office software is 600 yuan.": "1212",
    }


def test_a_deleted_users_conversation_is_named_in_no_base(api: Api, tenant: Tenant) -> None:
    base, other = create_base(tenant.project, "linked"), create_base(tenant.project, "unlinked")
    for each_base in (base, other):
        say(api, each_base, "The canteen opens at eight.", conversation_id="kims talk")
        give_feedback(
            api, each_base, "The canteen opens at nine, not at eight.", conversation_id="kims other talk"
        )
    unlink_base(tenant.project, other)

    api.data("delete/memory", {"user_id": "kim"})

    with tenant_scope(tenant.project.account):
        left = Memory.objects.within([base.cube_id, other.cube_id])
        assert left.count() >= 2
        assert set(left.values_list("conversation_key", flat=True)) == {"default_session"}


# What is said, how it is corrected, and what is right.
NUMBERS = [
    ("The nightly hotel limit is 150 euros.", "180, not 150", "The nightly hotel limit is 180 euros."),
    ("Hotels cost up to 150 euros.", "The hotel limit is 180 euros, not 150.", "Hotels cost up to 180 euros."),
    ("The warehouse holds 150 pallets.", "It's 180 pallets, not 150.", "The warehouse holds 180 pallets."),
    ("The club has 150 members.", "Not 150 but 180 members.", "The club has 180 members."),
    ("Tuition is 150 dollars a term.", "Tuition was raised from 150 to 180.", "Tuition is 180 dollars a term."),
    ("会员年费是150元。", "180元，不是150元", "会员年费是180元。"),
    ("仓库最多放150箱。", "仓库最多放180箱，不是150箱。", "仓库最多放180箱。"),
    ("烤箱预热到150度。", "烤箱要预热到180度，不是150度。", "烤箱预热到180度。"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("way", "sentence", "correction", "right"),
    [
        *(("feedback", *case) for case in NUMBERS),
        *(("message", *NUMBERS[at]) for at in (1, 3, 6)),  # told by another way, judged by the same rule
    ],
)
def test_a_correction_leaves_no_statement_with_the_wrong_value(
    api: Api, tenant: Tenant, way: str, sentence: str, correction: str, right: str
) -> None:
    base = create_base(tenant.project, "Numbers")
    say(api, base, sentence)
    assert held(tenant.project, base) == [sentence]

    if way == "feedback":
        give_feedback(api, base, correction, conversation_id="talk")
    else:
        say(api, base, correction)

    kept = held(tenant.project, base)
    assert right in kept
    assert not any("150" in statement for statement in kept)


def test_values_of_something_else_in_the_talk_change_no_base(api: Api, tenant: Tenant) -> None:
    base = create_base(tenant.project, "Numbers")
    say(api, base, "The hotel has 43 rooms.", conversation_id="before")

    omissions = say(api, base, "My shoe size is 43.", "It is 42, not 43.", conversation_id="shoes")

    assert held(tenant.project, base) == ["The hotel has 43 rooms."]
    assert [1] in [omission["messages"] for omission in omissions]
