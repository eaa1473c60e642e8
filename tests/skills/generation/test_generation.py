"""Skills are generated from what end users and their assistants say, without anyone asking."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from console.embedded.stack import Stack
from skills.models import Skill
from skills.values import SkillOrigin
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Api, Tenant
from tests.support.skills.travellers import (
    INTENSE,
    INTENSE_ZH,
    NIGHT_OWL,
    NIGHT_OWL_ZH,
    RETURN,
    RETURN_ZH,
    recalled,
    sections,
    talk,
    tell,
)
from tests.support.tenants import make_tenant
from tests.support.waiting import LIMIT

PLAN = "I'm planning a 7-day trip to Yunnan for the spring holiday."
PLAN_ZH = "清明节我打算去云南，帮我规划7天的行程。"


def list_skills(tenant: Tenant) -> list[Skill]:
    with tenant_scope(tenant.project):
        return list(Skill.objects.within(tenant.project.account_id).filter(origin=SkillOrigin.GENERATED))


@pytest.fixture(scope="module")
def travellers(stack: Stack) -> Iterator[Api]:
    """Two users of one developer, who have told how they travel; nobody says more."""
    tenant = make_tenant(stack)
    with tenant.api() as api:
        tell(tenant, api, "intense", INTENSE)
        tell(tenant, api, "owl", NIGHT_OWL)
        yield api


def test_two_travellers_get_visibly_different_travel_skills(travellers: Api) -> None:
    (intense,), (owl,) = recalled(travellers, "intense", PLAN), recalled(travellers, "owl", PLAN)

    assert "backtrack" in sections(intense)
    assert "weather" in sections(intense)
    assert "cultural" in sections(intense)
    assert "food" in sections(intense)
    assert "night owl" in sections(owl)
    assert "hidden gems" in sections(owl)
    assert "backtrack" not in sections(owl)
    assert "night owl" not in sections(intense)
    assert intense["skill_value"]["procedure"].startswith("1. ")
    assert intense["skill_value"]["preference"]
    assert not set(intense["skill_value"]["preference"]) & set(owl["skill_value"]["preference"])


def test_two_chinese_travellers_get_visibly_different_travel_skills(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "intense", INTENSE_ZH)
    tell(tenant, api, "owl", NIGHT_OWL_ZH)

    (intense,), (owl,) = recalled(api, "intense", PLAN_ZH), recalled(api, "owl", PLAN_ZH)

    assert "回头路" in sections(intense)
    assert "文化景点" in sections(intense)
    assert "天气" in sections(intense)
    assert "夜猫子" in sections(owl)
    assert "小众" in sections(owl)
    assert "夜猫子" not in sections(intense)
    assert "回头路" not in sections(owl)
    assert not set(intense["skill_value"]["preference"]) & set(owl["skill_value"]["preference"])


def test_the_grown_skill_is_downloaded_as_a_skill_file(travellers: Api) -> None:
    (skill,) = recalled(travellers, "intense", PLAN)
    text = httpx.get(skill["skill_url"], trust_env=False, verify=False, timeout=LIMIT).text

    assert text.startswith("---\nname: Plan a trip\ndescription: ")
    for heading in ("## Procedure", "## User Preferences", "## Examples"):
        assert heading in text
    assert "omitted" not in text
    assert "I'm" not in text


def test_a_customers_return_becomes_a_method_for_returns(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "agent", RETURN)

    (skill,) = recalled(api, "agent", "The user wants to return headphones bought three days ago")

    assert "Ask for the order number" in sections(skill)
    assert "within 7 days of receipt" in str(skill["skill_value"]["experience"])
    assert "48213" not in sections(skill)


def test_a_chinese_return_becomes_a_method_for_returns(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "agent", RETURN_ZH)

    (skill,) = recalled(api, "agent", "顾客想退掉三天前买的耳机")

    assert "核实订单" in skill["skill_value"]["procedure"]
    assert "生鲜商品不支持退货" in skill["skill_value"]["experience"]


def test_nobody_else_recalls_what_grew_for_one_user(travellers: Api, strangers_api: Api) -> None:
    assert recalled(travellers, "lou", PLAN, relativity=0) == []
    assert recalled(strangers_api, "intense", PLAN, relativity=0) == []


def test_more_conversations_refine_the_same_skill(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE, "first")
    (before,) = recalled(api, "kim", PLAN)
    more = talk(
        "Plan a weekend trip to Xi'an for me, on a tight budget.",
        "Gladly.",
        "Give us time for hiking.",
        "Done.",
    )
    tell(tenant, api, "kim", more, "second")

    (after,) = recalled(api, "kim", PLAN)

    assert after["skill_id"] == before["skill_id"]
    assert len(list_skills(tenant)) == 1
    assert "backtrack" in sections(after)
    assert "hiking" not in sections(before)
    assert "hiking" in after["skill_value"]["procedure"]
    assert after["confidence"] > before["confidence"]
    assert list_skills(tenant)[0].version == 2


def test_a_later_preference_replaces_the_one_it_contradicts(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", INTENSE, "first")
    changed = talk("Plan a trip to Kunming for me. I do not prefer cultural attractions any more.", "Gladly.")
    tell(tenant, api, "kim", changed, "second")

    (skill,) = recalled(api, "kim", PLAN)

    assert "Does not prefer cultural attractions any more" in skill["skill_value"]["preference"]
    assert "Prefers cultural attractions" not in skill["skill_value"]["preference"]
    assert "backtrack" in sections(skill)


def test_what_the_user_said_elsewhere_is_part_of_the_skill(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", talk("I love small family hotels.", "Nice!"), "chat")
    tell(tenant, api, "kim", NIGHT_OWL, "trip")

    (skill,) = recalled(api, "kim", PLAN)

    assert any("hotels" in preference for preference in skill["skill_value"]["preference"])


def test_one_weak_conversation_makes_no_skill(tenant: Tenant, api: Api) -> None:
    tell(tenant, api, "kim", talk("Plan a trip to Rome.", "Day 1 Colosseum", "ok thanks"), "one")
    tell(tenant, api, "kim", talk("What's the capital of France?", "Paris.", "Thanks!"), "two")
    tell(tenant, api, "kim", talk("I like apples and prefer window seats.", "Noted!"), "three")

    assert list_skills(tenant) == []
    assert recalled(api, "kim", PLAN, relativity=0) == []


def test_two_weak_conversations_that_are_alike_make_one(tenant: Tenant, api: Api) -> None:
    tell(
        tenant,
        api,
        "kim",
        talk("Plan a trip to Rome. No shopping malls. Keep the evenings free.", "Gladly."),
        "one",
    )
    assert list_skills(tenant) == []
    tell(tenant, api, "kim", talk("Plan a trip to Lisbon. Always name a place for lunch.", "Gladly."), "two")

    (skill,) = list_skills(tenant)

    assert skill.version == 1
    assert "No shopping malls" in skill.value["procedure"]
    assert "Always name a place for lunch" in skill.value["procedure"]
