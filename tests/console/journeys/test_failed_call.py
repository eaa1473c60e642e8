"""J9: a call fails; its developer finds it in the log, reads why, and sees it pass once it is corrected."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.journeys import copied, run_in_terminal


def test_a_failing_call_is_found_explained_corrected_and_replayed(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    refused = api.call("search/memory", {"user_id": "kim", "query": "Where do I live?", "relativity": 7})
    code = str(refused.json()["code"])

    signed_in.goto(f"/p/{tenant.project_id}/logs/")
    signed_in.get_by_label("Code", exact=True).fill(code)
    table = signed_in.get_by_role("table", name="Requests, newest first")
    expect(table.get_by_role("row")).to_have_count(2)  # it is stored a moment after the answer
    table.get_by_role("link", name="POST /search/memory").click()
    expect(signed_in.get_by_role("main")).to_contain_text("relativity")
    expect(signed_in.get_by_role("heading", name="Corrected call")).to_be_visible()
    expect(signed_in.get_by_text("Change relativity from 7 to 1.")).to_be_visible()

    corrected = signed_in.get_by_role("region", name="Corrected call")
    command = copied(signed_in, corrected.get_by_role("button", name="Copy"))
    answer = json.loads(run_in_terminal(command.replace("YOUR_API_KEY", tenant.key)))
    assert answer["code"] == 0

    signed_in.get_by_role("link", name="Replay in the playground").click()
    expect(signed_in.get_by_label("Question")).to_have_value("Where do I live?")
    expect(signed_in.get_by_label("Relativity").first).to_have_value("1")
    signed_in.get_by_label("Relativity").first.fill("0.4")
    signed_in.get_by_role("button", name="Run search").click()
    expect(signed_in.get_by_role("heading", name="Facts and knowledge")).to_be_visible()
    expect(signed_in.get_by_text("The user lives in Lisbon").first).to_be_visible()
