"""An owner settles what happens by itself in a project; the others see how it is settled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.test import Client

from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import CACHE_SECONDS
from tenancy.models import AuditEvent, Role
from tests.support.accounts.people import add_member, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import let_time_pass

# Of each section what is posted, what of it is kept, and a value that is refused with the field that says so.
SECTIONS: dict[str, tuple[dict[str, str], dict[str, Any], tuple[str, str]]] = {
    "search": (
        {"relativity": "0.6", "facts": "3", "preferences": "", "tools": "", "skills": ""},
        {"relativity": 0.6, "facts": 3},
        ("relativity", "1.5"),
    ),
    "extraction": (
        {
            "instructions": "Only travel.\r\nNothing else.",
            "never": "salary\r\n\r\n  blood   group\r\nsalary",
        },
        {"instructions": "Only travel.\nNothing else.", "never": ["salary", "blood group"]},
        ("instructions", "x" * 2_001),
    ),
    "lifecycle": (
        {"expire_working_days": "3", "archive_doubtful_days": "0", "expire_archived_days": "0"},
        {"expire_working_days": 3, "archive_doubtful_days": 0, "expire_archived_days": 0},
        ("expire_working_days", "-1"),
    ),
    "retention": (
        {"request_log_days": "7", "message_days": "90"},
        {"request_log_days": 7, "message_days": 90},
        ("message_days", "3"),
    ),
    "trash": ({"days": "14", "from_api": "on"}, {"days": 14, "from_api": True}, ("days", "31")),
    "privacy": ({"metadata_only": "on"}, {"viewers_see_metadata_only": True}, ("", "")),
}
REFUSED = {name: section[2] for name, section in SECTIONS.items() if section[2][0]}


@pytest.fixture
def owner(tenant: Tenant) -> Iterator[Client]:
    yield sign_in_owner(tenant)
    connections.close_all()


def place(tenant: Tenant, section: str = "") -> str:
    return f"/p/{tenant.project_id}/settings/" + (f"{section}/" if section else "")


def fields(section: str, **values: str) -> dict[str, str]:
    return {f"{section}-{name}": value for name, value in (SECTIONS[section][0] | values).items()}


def written(tenant: Tenant) -> list[dict[str, Any]]:
    """What the audit log holds of changed settings."""
    account = tenant.project.account
    with tenant_scope(account):
        rows = AuditEvent.objects.within(account).filter(action="project.settings_changed")
        return list(rows.order_by("created_at").values_list("detail", flat=True))


def settle(owner: Client, tenant: Tenant, section: str, **values: str) -> None:
    answer = owner.post(place(tenant, section), fields(section, **values))
    assert answer.status_code == 302, answer.content.decode()
    let_time_pass(CACHE_SECONDS, "other processes cache the settings of a project")


def test_each_section_is_kept_and_written_down_once(tenant: Tenant, owner: Client) -> None:
    for section, (_, kept, _) in SECTIONS.items():
        page = owner.post(place(tenant, section), fields(section))
        again = owner.post(place(tenant, section), fields(section), headers={"HX-Request": "true"})

        assert (page.status_code, page["Location"]) == (302, f"{place(tenant)}#{section}")
        assert (again.status_code, "Saved." in again["HX-Trigger"]) == (200, True)
        assert tenant.project.settings[section] == kept

    assert [(entry["section"], entry["after"]) for entry in written(tenant)] == [
        (section, kept) for section, (_, kept, _) in SECTIONS.items()
    ]


def test_what_makes_no_sense_is_said_beside_its_field(tenant: Tenant, owner: Client) -> None:
    for section, (name, value) in REFUSED.items():
        for headers in ({}, {"HX-Request": "true"}):
            answer = owner.post(place(tenant, section), fields(section, **{name: value}), headers=headers)
            assert answer.status_code == 422
            assert f'id="id_{section}-{name}_error"' in answer.content.decode()

        assert section not in tenant.project.settings
    assert written(tenant) == []


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.VIEWER])
def test_others_see_the_settings_and_whom_to_ask(tenant: Tenant, owner: Client, role: Role) -> None:
    owner.post(place(tenant, "retention"), fields("retention"))
    member = sign_in(add_member(tenant.project.account, role))

    page = member.get(place(tenant)).content.decode()
    answers = {member.post(place(tenant, section), fields(section)).status_code for section in SECTIONS}

    assert 'value="90"' in page
    assert "Only owners and admins can change these settings." in page
    assert '<button class="button button-primary">' not in page
    assert answers == {403}


def test_an_admin_changes_settings(tenant: Tenant) -> None:
    admin = sign_in(add_member(tenant.project.account, Role.ADMIN))

    assert admin.post(place(tenant, "trash"), fields("trash")).status_code == 302
    assert tenant.project.settings["trash"]["days"] == 14


def test_a_section_that_is_not_there_is_not_found(tenant: Tenant, owner: Client, stranger: Tenant) -> None:
    assert owner.get(place(tenant, "made-up")).status_code == 404
    assert owner.post(place(stranger, "trash"), fields("trash")).status_code == 404


def load_trace(tenant: Tenant, request_id: str) -> dict[str, Any]:
    row = wait_for_log_row(tenant.project, request_id)
    return {stage["stage"]: stage["note"] for stage in row.trace}


def test_a_search_takes_the_projects_defaults_and_says_so(tenant: Tenant, owner: Client, api: Api) -> None:
    api.add("kim", "I live in Lisbon.", "I have two cats.", "I work as a nurse.")
    settle(owner, tenant, "search", relativity="0", facts="1")

    answer = api.call("search/memory", {"user_id": "kim", "query": "Tell me about me"})
    second_answer = api.call(
        "search/memory", {"user_id": "kim", "query": "Tell me about me", "memory_limit_number": 2}
    )

    assert len(answer.json()["data"]["memory_detail_list"]) == 1
    assert len(second_answer.json()["data"]["memory_detail_list"]) == 2
    assert load_trace(tenant, answer.headers["X-Request-Id"])["validate"] == {
        "project_defaults": "relativity, memory_limit_number"
    }
    assert load_trace(tenant, second_answer.headers["X-Request-Id"])["validate"] == {
        "project_defaults": "relativity"
    }


def test_why_a_memory_is_recalled_is_asked_as_the_project_searches(
    tenant: Tenant, owner: Client, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    (fact,) = api.listed("kim")["memory_detail_list"]
    settle(owner, tenant, "search", relativity="1", facts="7")

    asked = f"/p/{tenant.project_id}/memories/{fact['id']}/?view=recall&question=Where+do+I+live"
    page = owner.get(asked, headers={"HX-Request": "true"}).content.decode()

    assert "1.00 is needed" in page


def test_without_a_choice_the_contracts_defaults_hold(tenant: Tenant, owner: Client, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    settle(owner, tenant, "search", relativity="", facts="", preferences="")

    answer = api.call("search/memory", {"user_id": "kim", "query": "Where do I live?"})

    assert tenant.project.settings.get("search", {}) == {}
    assert load_trace(tenant, answer.headers["X-Request-Id"])["validate"] == {}


def test_what_must_never_be_remembered_is_not(tenant: Tenant, owner: Client, api: Api) -> None:
    settle(owner, tenant, "extraction", never="salary\nblood group")

    answer = api.add(
        "kim", "My salaries are 5000 euros a month. I live in Lisbon.", "My blood group is A positive."
    )
    feedback = {
        "user_id": "kim",
        "conversation_id": "talk",
        "feedback_content": "Remember: my salary is 6000 euros.",
    }
    api.wait_until_done(api.data("add/feedback", feedback)["task_id"])

    listed = api.listed("kim")
    texts = [memory["memory_value"] for memory in listed["memory_detail_list"]]
    assert any("Lisbon" in text for text in texts)
    assert not any(word in text for text in texts for word in ("5000", "6000", "blood"))
    assert api.facts("kim", "What is my salary?", relativity=0) == [
        text for text in api.facts("kim", "What is my salary?", relativity=0) if "Lisbon" in text
    ]
    assert answer["status"] == "completed"


def test_what_must_never_be_remembered_is_not_brought_in_by_an_order(
    tenant: Tenant, owner: Client, api: Api
) -> None:
    settle(owner, tenant, "extraction", never="Porto")
    api.add("kim", "I live in Lisbon.", "I have a cat called Mimi.")
    for order in ("Replace Lisbon with Porto everywhere", "Replace Mimi with Momo everywhere"):
        feedback = {"user_id": "kim", "conversation_id": "talk", "feedback_content": order}
        api.wait_until_done(api.data("add/feedback", feedback)["task_id"])

    texts = str([memory["memory_value"] for memory in api.listed("kim")["memory_detail_list"]])
    assert "Lisbon" in texts
    assert "Porto" not in texts
    assert "Momo" in texts


def test_a_turn_with_a_forbidden_word_is_not_found_before_it_is_refined_either(
    tenant: Tenant, owner: Client, api: Api
) -> None:
    settle(owner, tenant, "extraction", never="salary")

    api.add("kim", "My salary is 5000 euros.", async_mode=True)

    assert api.facts("kim", "How much do I earn? salary", relativity=0) == []
