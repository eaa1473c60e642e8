"""The log entry of a feedback says what came of it."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.api_client import Api, Tenant
from tests.console.conftest import open_until_there


def test_a_feedback_that_changed_nothing_says_so_in_its_log_entry(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I like sushi.")
    body = {"user_id": "kim", "conversation_id": "talk", "feedback_content": "Bananas are yellow."}
    answer = api.call("add/feedback", body)
    api.wait_until_done(answer.json()["data"]["task_id"])

    open_until_there(signed_in, f"/p/{tenant.project_id}/logs/{answer.headers['X-Request-Id']}/")

    expect(signed_in.locator("#outcome")).to_contain_text("off_topic")
