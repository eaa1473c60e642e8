"""Whatever people put right in a base is listed with what it said before, and can be reverted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction

from knowledgebase.bases.base_summaries import load_base_figures
from knowledgebase.bases.bases import lock_base
from knowledgebase.corrections.corrections import (
    list_corrections,
    load_correction_wordings,
    submit_correction,
)
from knowledgebase.corrections.revert import revert_correction
from knowledgebase.models import KnowledgeBase
from memories.consolidation.cube_locks import lock_cube
from memories.models import MemCube, Memory
from memories.values import MemoryStatus, OwnerKind
from tenancy.errors import CorrectionNotLast, KnowledgeBaseNotLinked, MemoryFrozen
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role, User
from tenancy.people.members import delete_login
from tests.support.accounts.people import add_member
from tests.support.api_client import Api, Tenant
from tests.support.documents.policies import LIMITS, TABLE, TRAVEL, create_base_with_passages, held
from tests.support.knowledge.corrections import RIGHT, STATED, listed, worded
from tests.support.tasks.feedback import give
from tests.support.waiting import LIMIT

TOLD = "The procurement limit for office software is 600 yuan, not 800 yuan."
LATER = "The procurement limit for office software is 500 yuan, not 600 yuan."


def member(tenant: Tenant) -> User:
    return User.objects.get(email=tenant.email)


def put_right(api: Api, tenant: Tenant, base: KnowledgeBase, *sentences: str, **options: Any) -> None:
    for words in sentences or (TOLD,):
        give(api, tenant, words, allow_knowledgebase_ids=[base.public_id], **options)


def test_a_correction_is_listed_with_before_and_after_the_words_and_who(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS, TRAVEL))

    put_right(api, tenant, base)

    passage, stated = worded(tenant, base)
    assert (passage.before, passage.after) == (LIMITS, RIGHT)
    assert (stated.before, stated.after) == ("", STATED)
    assert {(wording.words, wording.who) for wording in (passage, stated)} == {(TOLD, "kim")}
    assert {row.source for row in listed(tenant, base)} == {"feedback"}


def test_another_project_sees_the_correction_and_not_the_words(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    put_right(api, tenant, base)

    with tenant_scope(tenant.project.account):
        seen = load_correction_wordings(list_corrections(base))

    assert {(wording.words, wording.who) for wording in seen} == {(None, None)}
    assert seen[-1].after == RIGHT


def test_what_a_deleted_user_put_right_stays_and_names_the_user_no_more(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    put_right(api, tenant, base)
    api.add("kim", "The VPN client needs a restart after every update of office software.",
            allow_knowledgebase_ids=[base.public_id])  # fmt: skip

    api.data("delete/memory", {"user_id": "kim"})

    assert held(tenant.project, base)[:2] == [RIGHT, STATED]
    assert {(row.feedback, row.message) for row in listed(tenant, base)} == {(None, None)}
    assert {(wording.words, wording.who) for wording in worded(tenant, base)} == {(None, None)}


def test_names_that_were_replaced_everywhere_are_listed_too(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(
        tenant.project, ("Zhang San approves. Ask Zhang San.", "Nobody else does.")
    )

    put_right(api, tenant, base, "Replace Zhang San with Li Si everywhere")

    (only,) = worded(tenant, base)
    assert (only.before, only.after) == ("Zhang San approves. Ask Zhang San.", "Li Si approves. Ask Li Si.")


def test_a_reverted_correction_brings_the_passage_back_and_takes_the_statement_away(
    api: Api, tenant: Tenant
) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    put_right(api, tenant, base)
    row = listed(tenant, base)[0]

    assert revert_correction(tenant.project, row, member(tenant))
    assert not revert_correction(tenant.project, row, member(tenant))

    assert held(tenant.project, base) == [LIMITS]
    assert {correction.reverted_by for correction in listed(tenant, base)} == {member(tenant)}
    shown = api.data(f"get/memory/{row.after_id}", {})  # programs see that a member reverted, and not which
    assert sorted(version["actor"] for version in shown["history"]) == ["feedback", "member"]
    assert tenant.email not in str(shown)
    with tenant_scope(tenant.project):
        memory = Memory.objects.within(base.cube_id).get(pk=row.after_id)
        versions = list(memory.versions.order_by("number"))
    assert [(version.actor, version.text) for version in versions] == [
        ("feedback", LIMITS),
        (f"member:{member(tenant).pk}", RIGHT),
    ]
    facts = api.facts("lou", "What is the limit for office software?", knowledgebase_ids=[base.public_id])
    assert not any("600" in text for text in facts)


def test_the_statement_stays_as_long_as_one_of_its_passages_does(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS, TABLE))
    put_right(api, tenant, base)
    first, second, _ = listed(tenant, base)

    revert_correction(tenant.project, first, member(tenant))
    assert STATED in held(tenant.project, base)
    revert_correction(tenant.project, second, member(tenant))

    assert held(tenant.project, base) == [LIMITS, TABLE]


def test_what_a_later_correction_stands_on_is_not_reverted_before_that(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    put_right(api, tenant, base, TOLD, LATER)
    first, _, second, stated = listed(tenant, base)

    with pytest.raises(CorrectionNotLast):
        revert_correction(tenant.project, first, member(tenant))
    revert_correction(tenant.project, second, member(tenant))
    revert_correction(tenant.project, stated, member(tenant))

    assert held(tenant.project, base) == [RIGHT, STATED]


def test_what_is_frozen_is_not_reverted(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    put_right(api, tenant, base)
    row = listed(tenant, base)[0]
    with tenant_scope(tenant.project):
        Memory.objects.within(base.cube_id).filter(pk=row.after_id).update(status=MemoryStatus.FROZEN)

    with pytest.raises(MemoryFrozen):
        revert_correction(tenant.project, row, member(tenant))


def test_a_double_click_reverts_once(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    put_right(api, tenant, base)
    row = listed(tenant, base)[0]

    def click() -> bool:
        try:
            return revert_correction(tenant.project, row, member(tenant))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as hands:
        clicks = [hands.submit(click) for _ in range(2)]
        assert sorted(future.result(LIMIT) for future in clicks) == [False, True]


def test_an_addition_is_taken_away_again(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    put_right(api, tenant, base, "Also remember that receipts for software are kept for ten years.")
    (row,) = listed(tenant, base)

    revert_correction(tenant.project, row, member(tenant))

    assert held(tenant.project, base) == [LIMITS]


def test_a_member_tells_a_base_what_changed_and_touches_nothing_else(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    api.add("ana", "The procurement limit for office software is 800 yuan.", allow_public=True)

    task = submit_correction(tenant.project, base, f" {TOLD} Our office closes at six. ", member(tenant))
    assert api.wait_until_done(str(task.pk)) == "completed"

    passages = held(tenant.project, base)
    assert passages[:2] == [RIGHT, STATED]
    assert "office closes at six" in passages[2]
    assert {(row.source, row.made_by) for row in listed(tenant, base)} == {("console", member(tenant))}
    assert {wording.who for wording in worded(tenant, base)} == {member(tenant).name}
    with tenant_scope(tenant.project):
        public = MemCube.objects.within(tenant.project).get(owner_kind=OwnerKind.PUBLIC)
        assert "800" in Memory.objects.within(public).current().get().text


def test_a_correction_outlives_the_login_of_who_entered_it(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    leaving = add_member(tenant.project.account, Role.ADMIN)

    with transaction.atomic():  # no worker begins before the login is gone
        task = submit_correction(tenant.project, base, TOLD, leaving)
        delete_login(leaving)

    assert api.wait_until_done(str(task.pk)) == "completed"
    assert held(tenant.project, base)[:2] == [RIGHT, STATED]
    assert {(row.source, row.made_by) for row in listed(tenant, base)} == {("console", None)}


def test_a_base_of_another_account_is_not_told(tenant: Tenant, stranger: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))

    with pytest.raises(KnowledgeBaseNotLinked):
        submit_correction(stranger.project, base, TOLD, member(stranger))


def test_a_correction_does_not_wait_for_anyone_who_works_on_the_bases_files(api: Api, tenant: Tenant) -> None:
    """They lock the base before its memories; a correction that did so the other way round would end with theirs."""
    base = create_base_with_passages(tenant.project, (LIMITS,))

    with tenant_scope(tenant.project.account):
        locked = lock_base(base)
        put_right(api, tenant, base)
        lock_cube(locked.cube_id)

    assert held(tenant.project, base) == [RIGHT, STATED]
    with tenant_scope(tenant.project.account):
        changed_at = load_base_figures([base])[base.pk].changed_at
    assert changed_at is not None
    assert changed_at >= listed(tenant, base)[-1].created_at > base.updated_at
