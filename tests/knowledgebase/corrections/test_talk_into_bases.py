"""Messages that may write into knowledge bases bring there what is knowledge, and nothing of the person."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections

from knowledgebase.bases.bases import link_base, unlink_base
from knowledgebase.models import KnowledgeBase
from memories.models import Memory, MemorySource
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key
from tenancy.models import User
from tenancy.projects.projects import create_project
from tests.support.api_client import Api, Tenant
from tests.support.documents.policies import ENGLISH, LIMITS, LIMITS_ZH, create_base_with_passages, held
from tests.support.knowledge.corrections import RIGHT, STATED, listed, worded
from tests.support.waiting import LIMIT

RULE = "Office software needs a restart after every update."


def say(api: Api, base: KnowledgeBase, *words: Any, user: str = "kim", **options: Any) -> None:
    api.add(user, *words, allow_knowledgebase_ids=[base.public_id], **options)


def test_knowledge_goes_into_the_base_and_what_is_about_the_user_does_not(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, ENGLISH)

    say(api, base, "I am a designer and I prefer WPS.", RULE, "Yesterday I paid 90 yuan for office software.")

    assert held(tenant.project, base)[3:] == [RULE]
    own = " ".join(memory["memory_value"] for memory in api.listed("kim")["memory_detail_list"])
    assert "designer" in own
    assert "restart" in own


def test_only_the_conversations_id_in_the_base_says_whose_talk_it_came_from(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))

    say(
        api, base, RULE, info={"badge": "4711"}, tags=["kims"], agent_id="desk", conversation_id="secret talk"
    )

    with tenant_scope(tenant.project):
        memory = Memory.objects.within(base.cube_id).get(text=RULE)
        assert not MemorySource.objects.within(memory).exists()
    traces = [memory.conversation_key, memory.agent_id, memory.conversation_id, memory.project_id]
    assert traces == ["secret talk", "", None, None]
    assert memory.info == {"source": "message"}
    (row,) = listed(tenant, base)
    (wording,) = worded(tenant, base)
    assert (row.source, wording.words, wording.who) == ("message", RULE, "kim")


@pytest.mark.parametrize(
    "sentence",
    [
        "The procurement limit for office software is 600 yuan, not 800 yuan.",
        "The procurement limit for office software is 600 yuan.",
    ],
)
def test_what_contradicts_a_passage_puts_it_right_as_feedback_would(
    api: Api, tenant: Tenant, sentence: str
) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))

    say(api, base, sentence)

    assert held(tenant.project, base) == [RIGHT, STATED]
    assert [(wording.before, wording.after) for wording in worded(tenant, base)] == [
        (LIMITS, RIGHT),
        ("", STATED),
    ]


def test_it_does_so_in_chinese(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS_ZH,))

    say(api, base, "办公软件的采购上限是600元，不是800元。", "我是设计师。")

    right = LIMITS_ZH.replace("办公软件的采购上限为800", "办公软件的采购上限为600")
    assert held(tenant.project, base) == [right, "办公软件的采购上限是600元。"]


def test_what_was_said_before_is_not_there_twice(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    say(api, base, RULE)

    say(api, base, "The procurement limit for office software is 800 yuan.", user="lou")
    say(api, base, RULE, user="lou")

    assert held(tenant.project, base) == [LIMITS, RULE]


def test_what_only_the_assistant_says_stays_out(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))

    say(api, base, "Thanks!", {"role": "assistant", "content": f"Note: {RULE}"})

    assert held(tenant.project, base) == [LIMITS]


def test_a_base_that_was_unlinked_meanwhile_stays_as_it_is(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    body = {"user_id": "kim", "conversation_id": "t", "messages": [{"role": "user", "content": RULE}]}
    task = api.data("add/message", {**body, "allow_knowledgebase_ids": [base.public_id]})["task_id"]

    unlink_base(tenant.project, base)

    assert api.wait_until_done(task) == "completed"
    link_base(tenant.project, base)
    assert len(held(tenant.project, base)) <= 2  # written before, or not at all


def test_two_projects_write_into_the_same_bases_at_once(api: Api, tenant: Tenant) -> None:
    bases = [create_base_with_passages(tenant.project, (LIMITS,), f"base {number}") for number in range(2)]
    second = create_project(tenant.project.account, "second", "", User.objects.get(email=tenant.email))
    for base in bases:
        link_base(second, base)
    key = create_key(second, "second").plaintext
    orders = [[base.public_id for base in bases], [base.public_id for base in reversed(bases)]]

    def talk(project_key: str, named: list[str], number: int) -> str:
        try:
            with tenant.api(project_key) as client:
                rule = f"The procurement limit for office software is {300 + number} yuan."
                body = {"user_id": f"u{uuid4()}", "conversation_id": "t",
                        "messages": [{"role": "user", "content": rule}]}  # fmt: skip
                task = client.data("add/message", {**body, "allow_knowledgebase_ids": named})["task_id"]
                return client.wait_until_done(task)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as people:
        asked = [people.submit(talk, (tenant.key, key)[n % 2], orders[n % 2], n) for n in range(4)]
        assert {future.result(LIMIT) for future in asked} == {"completed"}

    for base in bases:
        rows = [wording for wording in worded(tenant, base) if wording.before.startswith("Software")]
        assert len(rows) == 4
        assert rows[0].before == LIMITS
        assert all(row.after == other.before for row, other in pairwise(rows))
        assert rows[-1].after == held(tenant.project, base)[0]
