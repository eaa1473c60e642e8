"""Feedback puts right the one number that is wrong, in every long passage that has it, and no other."""

from __future__ import annotations

import pytest

from tests.support.api_client import Api, Tenant, message
from tests.support.documents.policies import (
    CHINESE,
    ENGLISH,
    LIMITS,
    LIMITS_ZH,
    TABLE,
    TRAVEL,
    create_base_with_passages,
    held,
)
from tests.support.tasks.feedback import give

RIGHT = LIMITS.replace("office software is 800", "office software is 600")
RIGHT_TABLE = TABLE.replace("Office software; Limit: 800", "Office software; Limit: 600")
RIGHT_ZH = LIMITS_ZH.replace("办公软件的采购上限为800", "办公软件的采购上限为600")


@pytest.mark.parametrize(
    "sentence",
    [
        "The procurement limit for office software is 600 yuan, not 800 yuan.",
        "The purchase limit for office software is 600 CNY, not 800.",
        "The procurement limit for office software is 600 yuan.",
        "No, the limit of office software is 600 yuan.",
        "Our company's limit for office software is 600 yuan, not 800 yuan.",
    ],
)
def test_the_right_number_changes_in_every_passage_and_no_other_does(
    api: Api, tenant: Tenant, sentence: str
) -> None:
    base = create_base_with_passages(tenant.project, ENGLISH)

    give(api, tenant, sentence, allow_knowledgebase_ids=[base.public_id])

    *passages, stated = held(tenant.project, base)
    assert passages == [RIGHT, TRAVEL, RIGHT_TABLE]
    assert "office software is 600" in stated.replace("of office", "for office")
    assert "800" not in stated


@pytest.mark.parametrize(
    "sentence",
    [
        "办公软件的采购上限是600元，不是800元。",
        "办公软件的采购限额不是800元，是600元",
        "办公软件采购上限为600元。",
        "我们公司的办公软件采购上限现在是600元",
    ],
)
def test_it_does_so_in_chinese(api: Api, tenant: Tenant, sentence: str) -> None:
    base = create_base_with_passages(tenant.project, CHINESE)

    give(api, tenant, sentence, allow_knowledgebase_ids=[base.public_id])

    *passages, stated = held(tenant.project, base)
    assert passages == [RIGHT_ZH, CHINESE[1]]
    assert "600元" in stated
    assert "800" not in stated


def test_what_is_about_something_else_changes_no_passage(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, ENGLISH)

    for sentence in (
        "The weather in Paris is 20 degrees, not 30 degrees.",
        "The procurement limit for game software is 300 yuan, not 800 yuan in Spain.",
        "I like mangosteens.",
        "Bananas are rich in potassium.",
    ):
        give(api, tenant, sentence, allow_knowledgebase_ids=[base.public_id])

        assert held(tenant.project, base)[:3] == list(ENGLISH), sentence


def test_what_has_nothing_to_do_with_the_base_is_written_beside_its_passages(
    api: Api, tenant: Tenant
) -> None:
    base = create_base_with_passages(tenant.project, ENGLISH)

    result = give(
        api,
        tenant,
        "The weather in Paris is 20 degrees, not 30.",
        allow_knowledgebase_ids=[base.public_id],
        conversation_id=None,
    )

    assert (result["applied"], result["reason"]) == (True, "")
    assert held(tenant.project, base) == [*ENGLISH, "The weather in Paris is 20 degrees."]


def test_what_the_base_says_already_is_not_said_twice(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, ENGLISH)

    result = give(
        api,
        tenant,
        "The procurement limit for office software is 800 yuan.",
        allow_knowledgebase_ids=[base.public_id],
    )

    assert (result["applied"], result["reason"]) == (False, "known")
    assert held(tenant.project, base) == list(ENGLISH)


def test_a_bare_correction_means_the_passage_that_was_talked_about(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS, TRAVEL))
    api.add("kim", "What is the travel allowance per day?", message("assistant", "It is 800 yuan a day."))

    give(api, tenant, "Not 800 but 600.", allow_knowledgebase_ids=[base.public_id])

    assert held(tenant.project, base)[:2] == [LIMITS, TRAVEL.replace("800", "600")]


def test_a_second_correction_puts_the_first_ones_statement_right_too(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    allowed = {"allow_knowledgebase_ids": [base.public_id]}
    give(api, tenant, "The procurement limit for office software is 600 yuan, not 800 yuan.", **allowed)

    give(api, tenant, "The procurement limit for office software is 500 yuan, not 600 yuan.", **allowed)

    assert not any("600" in text for text in held(tenant.project, base))
    assert sum("500" in text for text in held(tenant.project, base)) == 2


def test_an_approver_is_another_one_from_now_on(api: Api, tenant: Tenant) -> None:
    passage = "Approvals\nThe approver for office software is Anna Berg, who answers within a day. " + TRAVEL
    base = create_base_with_passages(tenant.project, (passage,))

    give(
        api,
        tenant,
        "The approver for office software is Li Si.",
        allow_knowledgebase_ids=[base.public_id],
    )

    assert held(tenant.project, base)[0] == passage.replace("Anna Berg", "Li Si")


def test_two_things_told_at_once_are_both_put_right_in_one_passage(api: Api, tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, (LIMITS,))
    text = (
        "The procurement limit for office software is 600 yuan, not 800 yuan."
        " The procurement limit for design software is 1100 yuan, not 1000 yuan."
    )

    give(api, tenant, text, allow_knowledgebase_ids=[base.public_id])

    assert held(tenant.project, base)[0] == RIGHT.replace("1000", "1100")
