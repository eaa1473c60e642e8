"""Keys, projects and request logs, as a developer uses them."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from console.pages.monitoring.logs.trace_words import STAGES
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import listed_requests, wait_for_log_row
from tests.support.waiting import let_keys_expire


def test_a_created_key_works_and_a_revoked_one_stops(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/api-keys/")
    signed_in.get_by_role("link", name=re.compile("Create|New")).or_(
        signed_in.get_by_role("button", name=re.compile("Create|New"))
    ).first.click()
    signed_in.get_by_role("dialog").get_by_label("Name").fill("laptop")
    signed_in.get_by_role("dialog").get_by_role("button", name=re.compile("Create")).click()
    shown = signed_in.locator("input[value^='mpg-']")
    expect(shown).to_be_visible()
    with tenant.api(shown.input_value()) as laptop:
        assert laptop.call("get/memory", {"user_id": "kim"}).status_code == 200

        signed_in.goto(f"/p/{tenant.project_id}/api-keys/")
        row = signed_in.get_by_role("row").filter(has_text="laptop")
        row.get_by_role("button", name="Actions for laptop").click()
        signed_in.locator(".row-menu:popover-open").get_by_text("Revoke key").click()
        signed_in.get_by_role("dialog").locator("button[name=confirmed]").click()
        expect(signed_in.get_by_role("row").filter(has_text="laptop")).to_contain_text("evoked")
        let_keys_expire()

        assert laptop.call("get/memory", {"user_id": "kim"}).status_code == 401


def test_two_projects_with_the_same_end_user_never_mix(signed_in: Page, tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Lisbon.")
    signed_in.goto(f"/p/{tenant.project_id}/quickstart/")
    signed_in.get_by_role("link", name="Projects").click()
    signed_in.get_by_role("link", name=re.compile("New")).or_(
        signed_in.get_by_role("button", name=re.compile("New"))
    ).first.click()
    signed_in.get_by_role("dialog").get_by_label("Name").fill("staging")
    signed_in.get_by_role("dialog").get_by_role("button", name="Create project").click()
    expect(signed_in.get_by_text("staging").first).to_be_visible()

    staging = tenant.project.account.projects.get(name="staging")
    signed_in.goto(f"/p/{staging.pk}/memories/")

    expect(signed_in.get_by_role("heading", name="Memories", exact=True)).to_be_visible()
    expect(signed_in.get_by_text("Lisbon")).to_have_count(0)


def test_a_refused_call_is_explained_with_its_cure_and_a_search_by_its_stages(
    tenant: Tenant, api: Api
) -> None:
    for relativity in (3, 0):
        answer = api.call("search/memory", {"user_id": "kim", "query": "x", "relativity": relativity})
        wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])
    client = sign_in_owner(tenant)

    searched, refused = (
        client.get(f"/p/{tenant.project_id}/logs/{request_id}/").content.decode()
        for request_id in listed_requests(client, tenant, "endpoint=search/memory")
    )

    for words in ("40012", "Send a number from 0"):
        assert words in refused
        assert words not in searched
    for stage in ("auth", "validate", "embed", "candidates"):
        assert str(STAGES[stage]) in searched
