"""Feedback that may write into knowledge bases puts right what they hold, for everybody who reads them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections

from knowledgebase.bases.bases import create_base
from knowledgebase.models import Correction
from memories.consolidation.cube_locks import lock_cube
from memories.engine import get_embedder
from memories.lifecycle.erase_subject import erase_subject
from memories.models import CubeGrant, Feedback, MemCube, Memory
from memories.text.content import hash_content
from memories.text.words.tokenize import search_terms
from memories.values import MemoryKind, OwnerKind, Subject
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.tasks.feedback import current, give
from tests.support.waiting import LIMIT, wait_until_somebody_waits

POLICY = "The policy requires the purchase limit for office software to be 800 CNY and applies to document editing."
TOLD = "The purchase limit for office software is 600 CNY, not 800 CNY."


def base(tenant: Tenant, *texts: str) -> str:
    """A knowledge base that is granted to the project, with these fragments."""
    name = f"base{uuid4()}"
    account = tenant.project.account_id
    with tenant_scope(tenant.project):
        cube = MemCube.objects.create(account_id=account, owner_kind=OwnerKind.KNOWLEDGE_BASE, owner_id=name)
        CubeGrant.objects.create(account_id=account, project_id=tenant.project.pk, cube=cube)
        for text in texts:
            Memory.objects.create(
                account_id=account,
                cube=cube,
                kind=MemoryKind.KNOWLEDGE,
                title="Software policy",
                text=text,
                content_hash=hash_content(text),
                words=" ".join(search_terms(text)),
                embedding=get_embedder().embed_passages([text])[0],
                embedding_model=get_embedder().name,
                details={"file_name": "policy.pdf"},
            )
    return name


def held(tenant: Tenant, name: str) -> list[Memory]:
    with tenant_scope(tenant.project):
        cube = CubeGrant.objects.within(tenant.project).get(cube__owner_id=name).cube_id
        return list(Memory.objects.within(cube).current())


@pytest.mark.parametrize("named", ["its id", "all"])
def test_what_a_base_says_is_put_right_there(api: Api, tenant: Tenant, named: str) -> None:
    name = base(tenant, POLICY, "Travel is booked by the office.")

    result = give(api, tenant, TOLD, allow_knowledgebase_ids=[name] if named == "its id" else "all")

    texts = {memory.text for memory in held(tenant, name)}
    assert texts == {POLICY.replace("800", "600"), "Travel is booked by the office."}
    corrected = next(memory for memory in held(tenant, name) if "600" in memory.text)
    assert (result["replaced"], result["added"]) == ([str(corrected.pk)], [])
    assert (corrected.kind, corrected.details["file_name"]) == (MemoryKind.KNOWLEDGE, "policy.pdf")
    assert current(api) == ""


def test_a_value_of_none_of_several_kinds_changes_none_of_them(api: Api, tenant: Tenant) -> None:
    passage = "Gold members get 20 percent off and silver members 10 percent."
    name = base(tenant, passage)

    give(api, tenant, "Members now get 15 percent off.", allow_knowledgebase_ids=[name])

    assert passage in {memory.text for memory in held(tenant, name)}


def test_a_base_that_the_feedback_does_not_name_stays(api: Api, tenant: Tenant) -> None:
    name, other = base(tenant, POLICY), base(tenant, POLICY)

    give(api, tenant, TOLD, allow_knowledgebase_ids=[name])

    assert [memory.text for memory in held(tenant, other)] == [POLICY]


def test_what_is_new_is_added_to_the_base_that_is_named(api: Api, tenant: Tenant) -> None:
    name = base(tenant, POLICY)

    give(api, tenant, "Also remember that receipts are kept for ten years.", allow_knowledgebase_ids=[name])

    assert any("eceipts are kept for ten years" in memory.text for memory in held(tenant, name))
    assert current(api) == ""


def test_what_is_personal_goes_into_no_base(api: Api, tenant: Tenant) -> None:
    name = base(tenant, POLICY)

    give(api, tenant, "I live in Porto.", allow_knowledgebase_ids=[name])

    assert len(held(tenant, name)) == 1
    assert "Porto" in current(api)


def test_a_base_stays_right_without_a_trace_of_a_deleted_user(api: Api, tenant: Tenant) -> None:
    made = create_base(tenant.project, "Policies")
    give(
        api,
        tenant,
        TOLD.replace("600", "800").replace("not 800", "not 900"),
        allow_knowledgebase_ids=[made.public_id],
    )
    give(api, tenant, TOLD, allow_knowledgebase_ids=[made.public_id])
    assert held(tenant, made.public_id)[0].conversation_key == "talk"

    erase_subject(tenant.project, Subject(OwnerKind.END_USER, "kim"))

    corrected = held(tenant, made.public_id)[0]
    traces: list[Any] = [corrected.conversation_key, corrected.agent_id, corrected.conversation_id]
    assert "600" in corrected.text
    assert traces == ["default_session", "", None]
    with tenant_scope(tenant.project):
        assert not Feedback.objects.within(tenant.project).exists()


@pytest.mark.parametrize("are_messages_held", [True, False])
def test_what_another_user_corrected_in_a_talk_of_the_same_name_stays_theirs(
    api: Api, tenant: Tenant, are_messages_held: bool
) -> None:
    made = create_base(tenant.project, "Policies")
    options = {"allow_knowledgebase_ids": [made.public_id]}
    give(api, tenant, TOLD, **options)
    give(api, tenant, "The travel limit is 900 CNY, not 700 CNY.", user_id="lee", **options)
    assert {memory.conversation_key for memory in held(tenant, made.public_id)} == {"talk"}
    if not are_messages_held:
        with tenant_scope(tenant.project):
            Correction.objects.within(tenant.project.account_id).update(feedback=uuid4(), message=None)

    erase_subject(tenant.project, Subject(OwnerKind.END_USER, "kim"))

    keys = {("600" in memory.text): memory.conversation_key for memory in held(tenant, made.public_id)}
    assert keys == {True: "default_session", False: "talk" if are_messages_held else "default_session"}


def test_what_only_a_deleted_users_feedback_made_public_goes_too(api: Api, tenant: Tenant) -> None:
    give(api, tenant, "Also remember that the office is in Mill Road.", allow_public=True)
    assert "Mill Road" in api.facts("lou", "Where is the office?", relativity=0)[0]

    api.data("delete/memory", {"user_id": "kim"})

    assert api.facts("lou", "Where is the office?", relativity=0) == []


@pytest.mark.parametrize("talk", ["talk", None])
def test_what_one_says_of_oneself_in_public_is_not_for_others_to_correct(
    api: Api, tenant: Tenant, talk: str | None
) -> None:
    anas = ("I live in Beijing.", "My manager is Eva.", "Falcon starts in May.")
    api.add("ana", *anas, allow_public=True)
    give(api, tenant, " ".join(anas), user_id="bea", allow_public=True, conversation_id=None)
    give(api, tenant, "I like tea.", allow_public=True)

    for kims in (
        "I live in Shanghai.",
        "I live in Shanghai, not in Beijing.",
        "My manager is Bo, not Eva.",
        "Replace Falcon with Phoenix everywhere",
    ):
        give(api, tenant, kims, allow_public=True, conversation_id=talk)

    for sentence, stays in zip(anas, ("lives in Beijing", "Eva", "Falcon starts"), strict=True):
        facts = api.facts("lou", sentence, relativity=0)
        assert any(stays in text and "until" not in text for text in facts), facts


@pytest.mark.parametrize("talk", ["talk", None])
def test_ones_own_public_words_are_put_right(api: Api, tenant: Tenant, talk: str | None) -> None:
    api.add("kim", "I live in Beijing.", "Falcon starts in May.", allow_public=True)

    give(api, tenant, "I live in Shanghai, not in Beijing.", allow_public=True, conversation_id=talk)
    give(api, tenant, "Replace Falcon with Phoenix everywhere", allow_public=True, conversation_id=talk)

    text = " ".join(api.facts("lou", "Who lives where, and what starts in May?", relativity=0))
    assert "Shanghai" in text
    assert "Phoenix" in text
    assert "Beijing" not in text
    assert "Falcon" not in text


def test_a_deletion_waits_for_anyone_who_writes_in_public(api: Api, tenant: Tenant) -> None:
    give(api, tenant, "Also remember that the office is in Mill Road.", allow_public=True)
    give(api, tenant, "The office is in Mill Road.", user_id="lou", conversation_id=None)
    with tenant_scope(tenant.project):
        public = MemCube.objects.within(tenant.project).get(owner_kind=OwnerKind.PUBLIC)
        (memory,) = Memory.objects.within(public)
        lous = str(Feedback.objects.within(tenant.project).get(cube__owner_id="lou").pk)

    with ThreadPoolExecutor(1) as other:
        with tenant_scope(tenant.project):
            lock_cube(public.pk)
            gone = other.submit(_forget_kim, tenant)
            wait_until_somebody_waits()
            memory.details = {"feedback": [*memory.details["feedback"], lous]}
            memory.save(update_fields=["details"])
        gone.result(LIMIT)

    with tenant_scope(tenant.project):
        assert Memory.objects.within(public).get().details == {"feedback": [lous]}


def _forget_kim(tenant: Tenant) -> None:
    try:
        erase_subject(tenant.project, Subject(OwnerKind.END_USER, "kim"))
    finally:
        connections.close_all()
