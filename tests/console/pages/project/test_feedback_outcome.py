"""The log entry of feedback and of messages says what came of it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from knowledgebase.bases.bases import create_base
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import open_until_there


def test_a_feedback_that_changed_nothing_says_so_in_its_log_entry(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I like sushi.")
    body = {"user_id": "kim", "conversation_id": "talk", "feedback_content": "Bananas are yellow."}
    answer = api.call("add/feedback", body)
    api.wait_until_done(answer.json()["data"]["task_id"])

    open_until_there(signed_in, f"/p/{tenant.project_id}/logs/{answer.headers['X-Request-Id']}/")

    expect(signed_in.locator("#outcome")).to_contain_text("off_topic")


def test_a_message_that_is_in_no_base_says_why_in_its_log_entry(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = create_base(tenant.project, "Policies")
    body = {
        "user_id": "kim",
        "messages": [{"role": "user", "content": "I am a nurse."}],
        "allow_knowledgebase_ids": [base.public_id],
    }
    answer = api.call("add/message", body)
    api.wait_until_done(answer.json()["data"]["task_id"])

    open_until_there(signed_in, f"/p/{tenant.project_id}/logs/{answer.headers['X-Request-Id']}/")

    expect(signed_in.locator("#outcome")).to_contain_text('"reason": "personal"')
