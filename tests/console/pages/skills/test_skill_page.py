"""One skill with its files, versions and evidence, in the browser."""

from __future__ import annotations

import io
import re
import zipfile

from playwright.sync_api import Page, Route, expect

from skills.catalogue.console_list import list_skill_uses
from skills.models import Skill
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.skill_pages import (
    PICTURE,
    changed_skill,
    drop,
    made_skill,
    open_skill,
    open_skills,
    row,
    skill_text,
)
from tests.support.knowledge.knowledge import new_base, wait_for_files
from tests.support.skills.packages import SKILL_MD
from tests.support.skills.travellers import INTENSE, tell
from tests.support.waiting import wait_until

HOSTILE = """---
name: Trap
description: Tries <script>alert(1)</script> things
---

# Title <script>document.title = "caught"</script>

<img src=x onerror="document.title='caught'"><iframe src="https://evil.example"></iframe>

[link](javascript:document.title='caught') ![far](https://evil.example/p.png) <https://evil.example/a>

| a | b |
| :- | -: |
| <b onclick="x()">1</b> | 2 |
"""


def test_script_and_html_inside_a_skill_stay_inert(signed_in: Page, tenant: Tenant) -> None:
    """The page's watch fails on any request to another place and on any script that the policy stops."""
    skill = made_skill(tenant, text=HOSTILE)

    open_skill(signed_in, tenant, skill)

    prose = signed_in.locator(".prose")
    expect(prose).to_contain_text("<script>")
    expect(prose).to_contain_text("<iframe")
    expect(prose.get_by_role("link", name="far")).to_have_attribute(
        "rel", re.compile("noopener.*nofollow ugc")
    )
    assert prose.locator("script, iframe, img, [onclick], [onerror], [style]").count() == 0
    assert signed_in.locator('a[href^="javascript"]').count() == 0
    assert signed_in.title().startswith("Trap")


def test_files_are_walked_with_the_keys_of_a_tree_and_shown(signed_in: Page, tenant: Tenant) -> None:
    skill = made_skill(
        tenant,
        files={
            "references/rules.md": "# The rules\n\nNever late.",
            "scripts/check.py": "print('checked')",
            "assets/logo.png": PICTURE,
            "assets/data.bin": b"\0\xff",
        },
    )
    open_skill(signed_in, tenant, skill)
    tree = signed_in.get_by_role("tree")
    expect(tree.get_by_role("treeitem", name="SKILL.md")).to_have_attribute("aria-selected", "true")

    tree.get_by_role("treeitem", name="SKILL.md").focus()
    for key in ("ArrowDown", "ArrowLeft", "r", "ArrowRight", "Enter"):
        signed_in.keyboard.press(key)
    expect(signed_in.locator(".prose")).to_contain_text("Never late.")
    expect(tree.get_by_role("treeitem", name="assets")).to_have_attribute("aria-expanded", "false")
    expect(signed_in).to_have_url(re.compile("path=references"))

    tree.get_by_role("treeitem", name="check.py").click()
    expect(signed_in.locator("#file-source")).to_have_text("print('checked')")
    tree.get_by_role("treeitem", name="assets").click()
    tree.get_by_role("treeitem", name="logo.png").click()
    picture = signed_in.get_by_role("img", name="assets/logo.png")
    expect(picture).to_have_js_property("naturalWidth", 1)
    tree.get_by_role("treeitem", name="data.bin").click()
    with signed_in.expect_download() as started:
        signed_in.locator("#skill-file").get_by_role("link", name="Download", exact=True).click()
    assert started.value.path().read_bytes() == b"\0\xff"


def test_a_refresh_that_comes_late_does_not_undo_a_step_in_the_tree(signed_in: Page, tenant: Tenant) -> None:
    skill = made_skill(tenant, files={"references/rules.md": "# The rules\n\nNever late."})
    open_skill(signed_in, tenant, skill)
    page_of_skill, held = re.compile(rf"{skill.pk}/$"), list[Route]()
    signed_in.route(page_of_skill, lambda route: held.append(route))
    with signed_in.expect_request(page_of_skill):
        changed_skill(tenant, skill, skill_text("Changed"))
    signed_in.get_by_role("treeitem", name="rules.md").click()
    expect(signed_in.locator(".prose")).to_contain_text("Never late.")

    with signed_in.expect_response(re.compile(r"path=references")):
        held[0].continue_()

    expect(signed_in.get_by_role("heading", name="Changed")).to_be_visible()
    expect(signed_in.locator(".prose")).to_contain_text("Never late.")


def test_a_skill_is_downloaded_as_one_file_or_as_a_package(signed_in: Page, tenant: Tenant) -> None:
    skill, many = made_skill(tenant, text=SKILL_MD), made_skill(tenant, "Many", files={"a.txt": "a"})

    alone, package = (download(signed_in, tenant, made) for made in (skill, many))

    assert alone.decode() == SKILL_MD
    assert zipfile.ZipFile(io.BytesIO(package)).namelist() == ["SKILL.md", "a.txt"]


def download(page: Page, tenant: Tenant, skill: Skill) -> bytes:
    """What the button of its page gives."""
    shown = page.request.get(f"/p/{tenant.project_id}/skills/{skill.pk}/").text()
    (address,) = set(re.findall(r'href="([^"]+/download/)"', shown))
    return page.request.get(address).body()


def test_a_dropped_skill_is_edited_with_a_preview_compared_and_put_back(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    open_skills(signed_in, tenant)
    drop(signed_in, returns__md=SKILL_MD.encode())
    row(signed_in, "Customer Return Processing").get_by_role("link").first.click()

    signed_in.get_by_role("link", name="Edit", exact=True).click()
    save = signed_in.get_by_role("button", name="Save as a new version")
    expect(save).to_be_disabled()
    text = signed_in.get_by_label("SKILL.md", exact=True)
    text.fill("No front matter at all")
    expect(signed_in.get_by_label("Preview", exact=True)).to_contain_text("name: value")
    text.fill(SKILL_MD.replace("Offer pickup first", "Send a courier first"))
    expect(signed_in.locator("#preview .prose")).to_contain_text("Send a courier first")
    signed_in.get_by_label("What changed").fill("Couriers are quicker")
    save.click()

    expect(signed_in.locator(".prose")).to_contain_text("Send a courier first")
    signed_in.get_by_role("link", name=re.compile("^Versions")).click()
    diff = signed_in.get_by_role("table", name="Changed lines")
    expect(diff.locator("del")).to_have_text(["Offer pickup"])
    expect(diff.locator("ins")).to_have_text(["Send a courier"])
    expect(signed_in.get_by_text("Couriers are quicker")).to_be_visible()
    signed_in.get_by_text("Side by side").click()
    expect(diff.locator("tr").filter(has_text="courier").locator("td")).to_have_count(4)
    expect(signed_in).to_have_url(re.compile("layout=split"))
    answer = api.search("kim", "The user wants to return headphones", include_skill=True)
    assert "courier" in answer["skill_detail_list"][0]["skill_value"]["procedure"]

    signed_in.get_by_role("link", name="Restore…").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Restore").click()
    expect(signed_in.get_by_text("Version 3").first).to_be_visible()
    signed_in.get_by_role("link", name="Content", exact=True).click()
    expect(signed_in.locator(".prose")).to_contain_text("Offer pickup first")


def test_an_edit_of_an_older_version_shows_both_and_loses_nothing(signed_in: Page, tenant: Tenant) -> None:
    skill = made_skill(tenant, text=SKILL_MD)
    signed_in.goto(f"/p/{tenant.project_id}/skills/{skill.pk}/edit/")
    changed_skill(tenant, skill, SKILL_MD.replace("Fresh food", "Cheese"))

    signed_in.get_by_label("SKILL.md", exact=True).fill(SKILL_MD.replace("order number", "receipt"))
    signed_in.get_by_role("button", name="Save as a new version").click()

    expect(signed_in.get_by_text("version 2 meanwhile")).to_be_visible()
    expect(signed_in.get_by_role("table", name="Changed lines")).to_contain_text("Cheese")
    expect(signed_in.get_by_label("SKILL.md", exact=True)).to_have_value(re.compile("receipt"))


def test_a_grown_skill_quotes_its_evidence_which_leads_to_the_memory(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    tell(tenant, api, "kim", INTENSE)
    open_skills(signed_in, tenant, "?subject=kim")
    expect(signed_in.get_by_role("row").nth(1)).to_contain_text("Generated")

    signed_in.get_by_role("row").nth(1).get_by_role("link").first.click()
    signed_in.get_by_role("link", name=re.compile("^Evidence")).click()

    sources = signed_in.get_by_role("list", name="Evidence for this skill")
    expect(sources).to_contain_text("I like intense, no-backtracking trips.")
    expect(sources).to_contain_text("Not interested in shopping malls.")
    sources.get_by_role("link", name="Open the memory").first.click()
    expect(signed_in.locator("#drawer")).to_contain_text("kim")


def test_use_names_the_searches_that_returned_it(tenant: Tenant, api: Api) -> None:
    skill = made_skill(tenant, text=SKILL_MD)
    api.search("kim", "The user wants to return headphones", include_skill=True)
    with tenant_scope(tenant.project):
        wait_until(lambda: bool(list_skill_uses(tenant.project, skill)))  # known a moment after the answer

    client, page = sign_in_owner(tenant), f"/p/{tenant.project_id}/skills/{skill.pk}/"
    use, install = (client.get(f"{page}?tab={tab}").content.decode() for tab in ("use", "install"))

    rows = [line for line in re.findall(r"<tr.*?</tr>", use, re.DOTALL) if "search/memory" in line]
    assert [">kim<" in line for line in rows] == [True]
    code = re.sub(r"<[^>]+>", "", install.partition('id="install-curl-code"')[2])
    assert f"agent_skills/{skill.pk}/download_zip" in code


def test_two_skills_become_one_and_the_other_is_archived(signed_in: Page, tenant: Tenant) -> None:
    stays = made_skill(tenant, text=SKILL_MD)
    goes = made_skill(
        tenant,
        text=SKILL_MD.replace("Customer Return Processing", "Refunds").replace(
            "Fresh food", "Used cosmetics"
        ),
        files={"letter.txt": "Dear customer"},
    )
    made_skill(tenant, "Somebody else's", user="lou")
    open_skill(signed_in, tenant, stays)

    signed_in.get_by_role("button", name="More actions").click()
    signed_in.get_by_role("link", name="Merge with another…").click()
    choice = signed_in.get_by_label("The skill that becomes part of it")
    expect(choice.get_by_role("option")).to_have_count(2)
    choice.select_option(label="Refunds")
    button, held = signed_in.get_by_role("button", name="Merge"), list[Route]()
    expect(button).to_be_enabled()
    signed_in.route("**/merge/?*procedure=this*", lambda route: held.append(route))
    with signed_in.expect_request("**/merge/?*procedure=this*"):
        signed_in.locator('input[name="procedure"][value="this"]').check(force=True)
    expect(button).to_be_disabled()  # until the text is the one of this choice
    held[0].continue_()
    merged = signed_in.get_by_label("SKILL.md of version 2")
    expect(merged).to_have_value(re.compile("Fresh food is not taken back\n- Used cosmetics"))
    button.click()

    expect(signed_in.get_by_role("treeitem", name="letter.txt")).to_be_visible()
    open_skill(signed_in, tenant, goes)
    expect(signed_in.locator("#skill")).to_have_attribute("data-state", "archived")


def test_a_copy_in_a_knowledge_base_lives_and_goes_with_its_file(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = new_base(api, "Service")
    skill = made_skill(tenant, text=SKILL_MD)
    open_skill(signed_in, tenant, skill)

    signed_in.get_by_role("button", name="More actions").click()
    signed_in.get_by_role("link", name="Copy to a knowledge base…").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Copy").click()
    expect(signed_in.get_by_text("Copied to “Service”.")).to_be_visible()
    (file,) = wait_for_files(api, base)
    assert file["status"] == "completed"

    open_skills(signed_in, tenant, "?origin=knowledge_base")
    row(signed_in, "Customer Return Processing").get_by_role("link").first.click()
    expect(signed_in.get_by_text("This skill is a file of a knowledge base")).to_be_visible()
    expect(signed_in.get_by_role("link", name="Edit", exact=True)).to_have_count(0)
    signed_in.get_by_role("link", name="Open the file").click()
    signed_in.get_by_role("link", name="Open the skill").click()
    expect(signed_in.get_by_role("heading", name="Customer Return Processing")).to_be_visible()


def test_a_skill_is_deleted_for_good_after_a_question(signed_in: Page, tenant: Tenant) -> None:
    skill = made_skill(tenant, text=SKILL_MD)
    open_skill(signed_in, tenant, skill)

    signed_in.get_by_role("button", name="More actions").click()
    signed_in.get_by_role("link", name="Delete…").click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Delete skill").click()

    expect(signed_in.get_by_text("No skill yet")).to_be_visible()
    answer = signed_in.request.get(f"/p/{tenant.project_id}/skills/{skill.pk}/")
    assert answer.status == 404
