"""Members copy skills of a project into a knowledge base."""

from __future__ import annotations

from typing import Any

from skills.models import Skill
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.skill_pages import changed_skill, made_skill
from tests.support.knowledge.knowledge import fetch_files, new_base, upload, wait_for_files


def describe(description: str) -> str:
    return f"---\nname: Refunds\ndescription: {description}\n---\n\n## Procedure\n1. Ask for the ticket\n"


TRAINS = describe("How to refund train tickets")
CONCERTS = describe("How to refund concert tickets")
SLEEPERS = describe("How to refund sleeper tickets")


def copy(tenant: Tenant, api: Api, skill: Skill, base: str) -> None:
    answer = sign_in_owner(tenant).post(f"/p/{tenant.project_id}/skills/{skill.pk}/copy/", {"chosen": base})
    assert answer.status_code == 302
    wait_for_files(api, base)


def find_descriptions(api: Api, base: str) -> list[str]:
    body: dict[str, Any] = {"user_id": "kim", "query": "refund tickets", "include_skill": True}
    names = api.data("search/memory", body | {"knowledgebase_ids": [base]})["skill_detail_list"]
    return sorted(item["skill_value"]["description"] for item in names)


def test_skills_of_one_name_are_both_copied_and_each_again_as_its_own_next_version(
    tenant: Tenant, api: Api
) -> None:
    base = new_base(api, "Service")
    trains = made_skill(tenant, text=TRAINS, user="alice")
    concerts = made_skill(tenant, text=CONCERTS, user="bob")

    copy(tenant, api, trains, base)
    copy(tenant, api, concerts, base)
    assert find_descriptions(api, base) == ["How to refund concert tickets", "How to refund train tickets"]

    copy(tenant, api, changed_skill(tenant, trains, SLEEPERS), base)
    assert find_descriptions(api, base) == ["How to refund concert tickets", "How to refund sleeper tickets"]
    assert len(fetch_files(api, base)) == 2


def test_an_upload_replaces_the_copy_of_its_name_and_the_next_copy_the_upload(
    tenant: Tenant, api: Api
) -> None:
    base, trains = new_base(api, "Service"), made_skill(tenant, text=TRAINS, user="alice")
    copy(tenant, api, trains, base)

    upload(api, base, {"Refunds.md": CONCERTS.encode()}, type="skill")
    wait_for_files(api, base)
    assert find_descriptions(api, base) == ["How to refund concert tickets"]

    copy(tenant, api, changed_skill(tenant, trains, SLEEPERS), base)
    assert find_descriptions(api, base) == ["How to refund sleeper tickets"]
