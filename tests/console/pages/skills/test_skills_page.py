"""A team looks after its skills: the list of them, in the browser."""

from __future__ import annotations

import html
import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from skills.values import SkillState
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import Watch, new_profile, sign_in
from tests.support.console.skill_pages import (
    add_viewer,
    drop,
    list_project_skills,
    locate_upload,
    made_skill,
    many_skills,
    open_dialog,
    open_skills,
    row,
)
from tests.support.skills.packages import SKILL_MD, build_package


def test_an_empty_list_shows_the_call_that_makes_a_skill(tenant: Tenant) -> None:
    """And is where links from MemOS's documentation lead."""
    answer = sign_in_owner(tenant).get("/cn/skill", follow=True)

    assert answer.redirect_chain[-1][0].endswith(f"/p/{tenant.project_id}/skills/")
    assert "No skill yet" in answer.content.decode()
    assert "POST /api/v1/agent_skills" in re.sub(r"<[^>]+>", "", answer.content.decode())


def test_a_skill_dropped_for_one_end_user_is_theirs_alone_and_a_broken_one_says_which_rule_and_where(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    open_skills(signed_in, tenant)

    signed_in.get_by_label("For the end user").fill("kim")
    drop(
        signed_in,
        returns__md=SKILL_MD.encode(),
        evil__zip=build_package({"scripts/../../evil": "x"}),
        notes__txt=b"no skill",
    )

    expect(row(signed_in, "Customer Return Processing")).to_contain_text("kim")
    expect(row(signed_in, "Customer Return Processing")).to_contain_text("Uploaded")
    expect(row(signed_in, "Customer Return Processing")).to_contain_text("Active")
    expect(locate_upload(signed_in, "evil.zip")).to_contain_text("leave out `..`")
    expect(locate_upload(signed_in, "evil.zip")).to_contain_text("scripts/../../evil")
    expect(locate_upload(signed_in, "notes.txt")).to_contain_text(".md, .zip")
    assert [skill.title for skill in list_project_skills(tenant)] == ["Customer Return Processing"]
    query = "The user wants to return headphones bought three days ago"
    assert api.search("kim", query, include_skill=True)["skill_detail_list"]
    assert not api.search("lou", query, include_skill=True)["skill_detail_list"]


def test_filters_and_order_narrow_the_list(signed_in: Page, tenant: Tenant) -> None:
    made_skill(tenant, "Booking flights", user="kim")
    made_skill(tenant, "Answering letters", origin="generated", state="draft", user="lou")
    open_skills(signed_in, tenant)

    signed_in.get_by_label("Order").select_option("name")
    expect(signed_in.get_by_role("row").nth(1)).to_contain_text("Answering letters")
    signed_in.get_by_label("Origin").select_option("generated")
    expect(row(signed_in, "Booking flights")).to_have_count(0)
    expect(row(signed_in, "Answering letters")).to_contain_text("Draft")
    signed_in.get_by_label("Origin").select_option("")
    signed_in.get_by_role("searchbox", name="Search skills").fill("flights")
    expect(row(signed_in, "Answering letters")).to_have_count(0)
    signed_in.get_by_role("searchbox", name="Search skills").fill("")
    signed_in.get_by_placeholder("End user", exact=True).fill("lou")
    expect(row(signed_in, "Booking flights")).to_have_count(0)
    expect(row(signed_in, "Answering letters")).to_be_visible()
    expect(signed_in).to_have_url(re.compile("lou"))


def test_chosen_skills_are_archived_and_deleted_after_a_question(signed_in: Page, tenant: Tenant) -> None:
    for name in ("One", "Two", "Three"):
        made_skill(tenant, name)
    open_skills(signed_in, tenant)

    signed_in.get_by_label("Select “One”").check()
    open_dialog(signed_in, "Archive…")
    signed_in.get_by_role("dialog").get_by_role("button", name="Archive 1 skill").click()
    expect(row(signed_in, "One")).to_contain_text("Archived")

    signed_in.get_by_label("Select this page").check()
    open_dialog(signed_in, "Delete…")
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Delete 3 skills").click()

    expect(signed_in.get_by_text("No skill yet")).to_be_visible()
    assert list_project_skills(tenant) == []


def test_a_dialog_opens_though_the_list_is_refreshed_meanwhile(signed_in: Page, tenant: Tenant) -> None:
    made_skill(tenant, "One")
    open_skills(signed_in, tenant)
    held: list[Route] = []
    signed_in.route("**/skills/bulk/", lambda route: held.append(route))
    signed_in.get_by_label("Select “One”").check()
    signed_in.get_by_role("button", name="Archive…").click()

    with signed_in.expect_response(re.compile(r"/skills/$")):
        made_skill(tenant, "Two")
    held[0].continue_()

    expect(signed_in.get_by_role("dialog")).to_contain_text("Archive 1 skill")
    expect(row(signed_in, "Two")).to_be_attached()


def test_a_viewer_reads_skills_and_changes_none(page: Page, tenant: Tenant) -> None:
    skill = made_skill(tenant, text=SKILL_MD)
    viewer = add_viewer(tenant)
    sign_in(page, viewer)

    page.goto(f"/p/{tenant.project_id}/skills/{skill.pk}/")
    expect(page.get_by_role("button", name="Edit", exact=True)).to_be_disabled()
    expect(page.get_by_role("link", name="Download", exact=True).first).to_be_visible()
    token = page.locator('meta[name="csrf-token"]').get_attribute("content")
    place = f"/p/{tenant.project_id}/skills/"
    for address in (
        f"{skill.pk}/edit/",
        f"{skill.pk}/delete/",
        f"{skill.pk}/move/archive/",
        f"{skill.pk}/versions/1/restore/",
        f"{skill.pk}/merge/",
        f"{skill.pk}/copy/",
        f"{skill.pk}/preview/",
        "bulk/",
        "upload/",
    ):
        answer = page.request.post(
            place + address,
            headers={"X-CSRFToken": token or "", "Referer": page.url},
            form={"confirmed": "yes", "move": "delete", "ids": str(skill.pk)},
        )
        assert answer.status == 403, address
    assert len(list_project_skills(tenant)) == 1


def test_a_strangers_skill_is_nowhere(tenant: Tenant, stranger: Tenant) -> None:
    mine, theirs = made_skill(tenant, "Mine"), made_skill(stranger, "Theirs")
    client = sign_in_owner(tenant)

    for skill, project in ((theirs, tenant), (theirs, stranger), (mine, stranger)):
        for part in (
            "",
            "edit/",
            "delete/",
            "download/",
            "merge/",
            "copy/",
            "versions/1/restore/",
            "picture/",
        ):
            address = f"/p/{project.project_id}/skills/{skill.pk}/{part}"
            assert client.get(address).status_code == 404, address
    listed = client.get(f"/p/{tenant.project_id}/skills/").content.decode()
    assert ("Mine" in listed, "Theirs" in listed) == (True, False)


def test_without_scripts_skills_are_uploaded_edited_and_deleted(
    chromium_browser: Browser, console_url: str, tenant: Tenant
) -> None:
    context = new_profile(chromium_browser, console_url, java_script_enabled=False)
    page = context.new_page()
    watch = Watch(page, console_url)
    sign_in(page, tenant)

    page.goto(f"/p/{tenant.project_id}/skills/")
    page.locator("#files-to-upload").set_input_files(
        {"name": "returns.md", "mimeType": "text/markdown", "buffer": SKILL_MD.encode()}
    )
    page.get_by_role("button", name="Upload").click()
    row(page, "Customer Return Processing").get_by_role("link").first.click()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("SKILL.md", exact=True).fill(SKILL_MD.replace("Fresh food", "Cheese"))
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.locator(".prose")).to_contain_text("Cheese")
    page.goto(f"/p/{tenant.project_id}/skills/")
    page.get_by_role("checkbox").nth(1).check()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete 1 skill").click()

    expect(page.get_by_text("No skill yet")).to_be_visible()
    assert watch.troubles == []
    context.close()


def test_a_sorted_list_loses_and_repeats_nothing_from_page_to_page(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.ui.lists.sorting.PAGE_SIZE", 4)
    many_skills(tenant, 9)
    mine = sign_in_owner(tenant)

    for sort in ("", "changed", "recalls", "name"):
        address, seen = f"/p/{tenant.project_id}/skills/?sort={sort}", list[str]()
        while address:
            page = mine.get(address).content.decode()
            seen += re.findall(r'<tr data-id="([^"]+)"', page)
            match = re.search(r'href="([^"]+)" rel="next"', page)
            address = html.unescape(match[1]) if match else ""
        assert len(seen) == len(set(seen)) == 9, sort


def test_skills_that_match_since_the_dialog_are_asked_about_again(tenant: Tenant) -> None:
    client, place = sign_in_owner(tenant), f"/p/{tenant.project_id}/skills/"
    first, second = made_skill(tenant, "First"), made_skill(tenant, "Second")
    sent = {"move": "delete", "everything": "yes", "filter": f"state={SkillState.ARCHIVED}"}
    headers = {"HX-Request": "true"}

    client.post(f"{place}{first.pk}/move/archive/", headers=headers)
    asked = client.post(f"{place}bulk/", sent, headers=headers).content.decode()
    fields = dict(
        re.findall(r'name="(move|count|cutoff|filter|everything)" value="([^"]*)"', html.unescape(asked))
    )
    client.post(f"{place}{second.pk}/move/archive/", headers=headers)
    answer = client.post(f"{place}bulk/", {**fields, "confirmed": "yes"}, headers=headers)

    assert "Delete 1 skill" in asked
    assert answer.status_code == 422
    assert "The number does not match." in answer.content.decode()
    assert len(list_project_skills(tenant)) == 2
