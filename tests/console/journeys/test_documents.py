"""J6: a team drops three files, learns what is wrong with two, shares the third, and corrects it in words."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.knowledge_pages import MEGABYTE, drop, locate_upload, open_base, row
from tests.support.documents.small_files import pdf
from tests.support.knowledge.knowledge import new_base

POLICY = pdf([[(18, "Travel Policy"), (11, "A hotel costs at most 900 CNY a night.")]])
QUESTION = "What may a hotel cost?"
WORDS = "A hotel costs at most 700 CNY a night, not 900 CNY."


def test_three_files_are_dropped_one_is_shared_and_corrected_in_words(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    """One is good, one is no document inside, one is too large to be sent at all."""
    base = new_base(api, "Policies")
    tenant.project.account.projects.create(name="staging")
    open_base(signed_in, tenant, base)
    sent: list[str] = []
    signed_in.on("request", lambda request: sent.append(request.url) if "/upload/" in request.url else None)

    drop(
        signed_in,
        ("travel.pdf", POLICY),
        ("report.docx", b"%PDF-1.4 not a docx"),
        ("film.pdf", 101 * MEGABYTE),
    )
    expect(locate_upload(signed_in, "film.pdf")).to_contain_text("Too large: at most 100")
    expect(locate_upload(signed_in, "report.docx")).to_contain_text("the name says docx")
    expect(locate_upload(signed_in, "report.docx")).to_contain_text("Save it again as .docx")
    expect(row(signed_in, "travel.pdf")).to_contain_text("Completed")
    expect(signed_in.get_by_role("row").filter(has_text="report.docx")).to_have_count(0)
    assert len(sent) == 2
    assert "900 CNY" in api.facts("kim", QUESTION, knowledgebase_ids=[base], relativity=0)[0]

    parts = signed_in.get_by_role("navigation", name="Parts of this knowledge base")
    parts.get_by_role("link", name="Projects").click()
    signed_in.get_by_role("link", name="Associate with a project").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("Project").select_option("staging")
    dialog.get_by_role("button", name="Associate knowledge base").click()
    expect(signed_in.get_by_role("link", name="Disassociate staging")).to_be_visible()

    parts.get_by_role("link", name="Corrections").click()
    signed_in.get_by_label("Add a correction").fill(WORDS)
    signed_in.get_by_role("button", name="Submit correction").click()
    corrections = signed_in.locator("#corrections")
    expect(corrections.locator("del").first).to_contain_text("900")
    expect(corrections.locator("ins").first).to_contain_text("700")
    assert "700 CNY" in api.facts("lou", QUESTION, knowledgebase_ids=[base], relativity=0)[0]
