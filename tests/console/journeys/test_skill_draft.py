"""J7: a generated draft is read, edited, compared and approved; then agents get it, and its package opens."""

from __future__ import annotations

import io
import re
import zipfile

from playwright.sync_api import Page, expect

from tests.support.api_client import Api, Tenant
from tests.support.console.skill_pages import made_skill, open_skill
from tests.support.skills.packages import SKILL_MD

TASK = "The user wants to return headphones bought three days ago"


def test_a_draft_is_edited_compared_approved_recalled_and_downloaded(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    files = {"references/letter.md": "Dear customer,"}
    skill = made_skill(tenant, text=SKILL_MD, files=files, origin="generated", state="draft")
    assert not api.search("kim", TASK, include_skill=True)["skill_detail_list"]
    open_skill(signed_in, tenant, skill)
    expect(signed_in.get_by_text("A draft is not recalled")).to_be_visible()

    signed_in.get_by_role("link", name="Edit", exact=True).click()
    text = signed_in.get_by_label("SKILL.md", exact=True)
    text.fill(SKILL_MD.replace("Offer pickup first", "Send a courier first"))
    expect(signed_in.locator("#preview .prose")).to_contain_text("Send a courier first")
    signed_in.get_by_role("button", name="Save as a new version").click()
    signed_in.get_by_role("link", name=re.compile("^Versions")).click()
    changed = signed_in.get_by_role("table", name="Changed lines")
    expect(changed.locator("del")).to_have_text(["Offer pickup"])
    expect(changed.locator("ins")).to_have_text(["Send a courier"])

    signed_in.get_by_role("link", name="Approve").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Approve").click()
    expect(signed_in.get_by_text("A draft is not recalled")).to_have_count(0)
    [hit] = api.search("kim", TASK, include_skill=True)["skill_detail_list"]
    assert "courier" in hit["skill_value"]["procedure"]

    with signed_in.expect_download() as started:
        signed_in.get_by_role("link", name="Download", exact=True).first.click()
    package = zipfile.ZipFile(io.BytesIO(started.value.path().read_bytes()))
    assert package.testzip() is None
    assert set(package.namelist()) == {"SKILL.md", "references/letter.md"}
    assert "Send a courier first" in package.read("SKILL.md").decode()
