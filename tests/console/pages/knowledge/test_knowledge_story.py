"""The software-procurement story, from end to end in the browser: a policy, a question, a correction for everybody."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.knowledge_pages import choose, open_base, row
from tests.support.documents.small_files import docx_file
from tests.support.knowledge.knowledge import filled_base

POLICY = docx_file(
    "This policy standardises the procurement and reimbursement of software in the company.",
    "Software above its limit needs a business reason and a special approval.",
    heading="Software Procurement Reimbursement Policy",
    rows=[
        ["Category", "Limit", "For"],
        ["Design software", "1000 CNY", "graphic design and video editing"],
        ["Office software", "800 CNY", "documents and spreadsheets"],
        ["Development software", "1500 CNY", "editors and compilers"],
    ],
)
QUESTION = "What is the purchase limit for office software?"
WORDS = "The purchase limit for office software is 600 CNY, not 800 CNY."


def first_found(api: Api, user: str, base: str, query: str = QUESTION) -> str:
    return api.facts(user, query, knowledgebase_ids=[base], relativity=0)[0]


def test_a_policy_is_uploaded_asked_for_and_corrected_for_everybody(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/knowledge/")
    signed_in.get_by_role("link", name="Create new").click()
    signed_in.get_by_role("dialog").get_by_label("Name").fill("Policies")
    signed_in.get_by_role("dialog").get_by_role("button", name="Create knowledge base").click()
    signed_in.wait_for_url("**/knowledge/base*/")
    base = signed_in.url.rstrip("/").rpartition("/")[2]
    expect(signed_in.get_by_text("Live", exact=True)).to_be_visible()
    choose(signed_in, Software_Procurement_Policy__docx=POLICY)
    expect(row(signed_in, "Software_Procurement_Policy.docx")).to_contain_text("Completed")

    api.add("mei", "I am a designer. I often use creative platform tools.")
    asked = api.search("mei", "Which software may I buy for design?", knowledgebase_ids=[base], relativity=0)
    memory_values = [item["memory_value"] for item in asked["memory_detail_list"]]
    assert any("1000 CNY" in value for value in memory_values)
    assert any("designer" in value for value in memory_values)
    assert "800 CNY" in first_found(api, "mei", base)

    open_base(signed_in, tenant, base, "?tab=corrections")
    signed_in.get_by_label("Add a correction").fill(WORDS)
    signed_in.get_by_role("button", name="Submit correction").click()
    listed = signed_in.locator("#corrections")
    expect(listed.locator("del").first).to_contain_text("800")
    expect(listed.locator("ins").first).to_contain_text("600")
    expect(listed).to_contain_text(WORDS)
    expect(listed).to_contain_text("Console")

    for user in ("mei", "a stranger to the talk"):
        assert "600" in first_found(api, user, base)


def test_feedback_of_the_api_is_listed_with_its_words_and_reverted(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = filled_base(api, {"Software_Procurement_Policy.docx": POLICY})
    open_base(signed_in, tenant, base, "?tab=corrections")

    body = {"user_id": "finance", "feedback_content": WORDS, "allow_knowledgebase_ids": [base]}
    task = api.data("add/feedback", {"conversation_id": "talk", **body})
    assert api.wait_until_done(task["task_id"]) == "completed"

    correction = (
        signed_in.locator("#corrections").get_by_role("listitem").filter(has=signed_in.locator("del")).first
    )
    expect(correction).to_contain_text("Feedback")
    expect(correction).to_contain_text("finance")
    expect(correction).to_contain_text(WORDS)
    assert "600" in first_found(api, "anybody", base)
    correction.get_by_role("link", name="Revert…").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Revert").click()
    expect(correction).to_contain_text("Reverted")
    facts = api.facts("anybody", QUESTION, knowledgebase_ids=[base], relativity=0)
    assert "800 CNY" in facts[0]
    assert not any("600" in fact for fact in facts)
