"""J8: a developer runs a search, reads why each memory is where it is, and repeats it from a terminal."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.journeys import copied, run_in_terminal


def test_a_search_explains_its_ranks_and_the_copied_command_gives_the_same_memories(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon. I have two cats. I work as a nurse. I like green tea.")
    signed_in.goto(f"/p/{tenant.project_id}/playground/")
    signed_in.get_by_label("End user").fill("kim")
    signed_in.get_by_label("Question").fill("Which city does Kim live in?")
    signed_in.get_by_label("Relativity").first.fill("0")
    signed_in.get_by_role("button", name="Run search").click()

    facts = signed_in.locator(".card").filter(
        has=signed_in.get_by_role("heading", name="Facts and knowledge")
    )
    returned = facts.locator(".card-body > ol > li")
    expect(returned.first).to_contain_text("Lisbon")
    expect(returned.first).to_contain_text("Matching words")
    returned.first.get_by_text("Score parts").click()
    expect(returned.first.locator("dl")).to_contain_text("Meaning")
    expect(facts).to_contain_text("Candidates scored")
    links = returned.locator("a.play-text").evaluate_all("all => all.map(one => one.pathname)")
    shown = [re.findall(r"/memories/([0-9a-f-]+)/", link)[0] for link in links]

    command = copied(signed_in, signed_in.locator("#play-code-curl").get_by_role("button", name="Copy"))
    answer = json.loads(run_in_terminal(command.replace("YOUR_API_KEY", tenant.key)))
    assert answer["code"] == 0
    assert [memory["id"] for memory in answer["data"]["memory_detail_list"]] == shown
    assert len(shown) > 1
