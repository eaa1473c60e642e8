"""Learning spaces and the people in them, in the browser."""

from __future__ import annotations

import html
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from skills.sessions.sessions import NewSession, create_session
from skills.spaces.spaces import attach_session, create_space, list_skills, load_space
from skills.users.users import count_user_resources
from tenancy.errors import NotFound
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant
from tests.support.console.browser import sign_in
from tests.support.console.skill_pages import add_viewer, list_project_skills, made_skill
from tests.support.skills.contract import connect_http


def open_spaces(page: Page, tenant: Tenant, query: str = "") -> None:
    page.goto(f"/p/{tenant.project_id}/spaces/{query}")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def open_space(page: Page, tenant: Tenant, space: object, query: str = "") -> None:
    open_spaces(page, tenant, f"{space}/{query}")


def rows(page: Page) -> Locator:
    return page.locator("tbody tr")


def test_an_empty_list_shows_the_program_that_makes_a_space_and_one_is_created_with_its_first_skills(
    signed_in: Page, tenant: Tenant
) -> None:
    open_spaces(signed_in, tenant)
    expect(signed_in.get_by_text("No learning space yet")).to_be_visible()
    expect(signed_in.locator("#create-space")).to_contain_text("learning_spaces.create")

    signed_in.get_by_role("link", name="New space").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("User").fill("kim@example.com")
    dialog.get_by_label("Metadata").fill('{"team": ')
    dialog.get_by_role("button", name="Create space").click()
    expect(dialog.get_by_text("not valid JSON").first).to_be_visible()
    dialog.get_by_label("Metadata").fill('{"team": "travel"}')
    dialog.get_by_role("button", name="Create space").click()

    expect(signed_in.get_by_role("heading", name="Space of kim@example.com")).to_be_visible()
    expect(signed_in.get_by_role("heading", name="daily-logs")).to_be_visible()
    expect(signed_in.get_by_role("heading", name="user-general-facts")).to_be_visible()
    open_spaces(signed_in, tenant)
    expect(rows(signed_in)).to_contain_text(['{"team": "travel"}'])


def test_spaces_are_found_by_user_and_by_what_their_metadata_says(signed_in: Page, tenant: Tenant) -> None:
    project = tenant.project
    first = create_space(project, "kim", {"team": "travel"})
    second = create_space(project, "lou", {"team": "refunds"})
    open_spaces(signed_in, tenant)
    expect(rows(signed_in)).to_have_count(2)

    signed_in.get_by_role("searchbox").fill("refun")
    expect(rows(signed_in)).to_have_count(1)
    expect(rows(signed_in)).to_contain_text(["lou"])
    signed_in.get_by_role("searchbox").fill(str(first.pk)[-12:])
    expect(rows(signed_in)).to_contain_text(["kim"])
    signed_in.get_by_role("searchbox").fill("")
    signed_in.get_by_placeholder("User", exact=True).fill("lou")
    expect(rows(signed_in)).to_contain_text([str(second.pk)])


def test_metadata_is_saved_when_it_changed_and_is_valid_only(signed_in: Page, tenant: Tenant) -> None:
    space = create_space(tenant.project, None, {"team": "travel"})
    open_space(signed_in, tenant, space.pk, "?tab=metadata")
    text, save = signed_in.locator("#json"), signed_in.get_by_role("button", name="Save")
    expect(save).to_be_disabled()

    text.fill('{"team": "travel", ')
    expect(signed_in.get_by_text("This is no JSON object.")).to_be_visible()
    expect(save).to_be_disabled()
    text.fill("[1]")
    expect(save).to_be_disabled()
    text.fill('{"team": "trains"}')
    save.click()

    expect(signed_in.get_by_text("Saved.", exact=True)).to_be_visible()
    assert load_space(tenant.project, space.pk).meta == {"team": "trains"}


def test_skills_come_into_a_space_and_out_of_it_and_stay(signed_in: Page, tenant: Tenant) -> None:
    space = create_space(tenant.project, None, None)
    skill = made_skill(tenant, "Social contacts", files={"a.md": "# A"})
    open_space(signed_in, tenant, space.pk)

    signed_in.get_by_role("link", name="Add skill").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("Id").fill("00000000-0000-4000-8000-000000000000")
    dialog.get_by_role("button", name="Add skill").click()
    expect(dialog.get_by_text("No skill of this id").first).to_be_visible()
    dialog.get_by_label("Id").fill(str(skill.pk))
    dialog.get_by_role("button", name="Add skill").click()
    card = signed_in.get_by_role("listitem").filter(has_text="Social contacts")
    expect(card).to_contain_text("2 files")

    card.get_by_role("link", name="Remove Social contacts from the space").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(card).to_have_count(0)
    assert skill.pk not in {row.pk for row in list_skills(tenant.project, space.pk).rows}
    assert skill.pk in {row.pk for row in list_project_skills(tenant)}


def test_a_session_is_attached_once_and_shows_how_far_the_learning_is(
    signed_in: Page, tenant: Tenant
) -> None:
    space = create_space(tenant.project, None, None)
    session, _ = create_session(tenant.project, NewSession("kim"))
    open_space(signed_in, tenant, space.pk, "?tab=sessions")

    signed_in.get_by_role("link", name="Learn from session").first.click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.locator("datalist option")).to_have_attribute("value", str(session.pk))
    dialog.get_by_label("Id").fill(str(session.pk))
    dialog.get_by_role("button", name="Learn").click()

    expect(rows(signed_in)).to_contain_text([str(session.pk)])
    expect(rows(signed_in)).to_contain_text(["Completed"])  # there is nothing in it to learn from
    signed_in.get_by_role("link", name="Learn from session").first.click()
    dialog.get_by_label("Id").fill(str(session.pk))
    dialog.get_by_role("button", name="Learn").click()
    expect(dialog.get_by_text("attached to a learning space already").first).to_be_visible()


def test_learning_is_seen_on_the_open_page_and_then_in_the_skills(signed_in: Page, tenant: Tenant) -> None:
    space = create_space(tenant.project, "kim", None)
    session, _ = create_session(tenant.project, NewSession("kim"))
    attach_session(tenant.project, space.pk, session.pk)
    blob = {"role": "user", "content": "I have a cat called Miso. I live in Lisbon."}
    with connect_http(tenant) as http:
        http.post(f"session/{session.pk}/messages", json={"blob": blob})
        open_space(signed_in, tenant, space.pk, "?tab=sessions")
        expect(rows(signed_in)).to_contain_text([str(session.pk)])

        http.post(f"session/{session.pk}/flush")

    expect(rows(signed_in)).to_contain_text(["Completed"])
    parts = signed_in.get_by_role("navigation", name="Parts of this space")
    parts.get_by_role("link", name=re.compile("^Skills")).click()
    card = signed_in.get_by_role("listitem").filter(has_text="user-general-facts")
    expect(card).not_to_contain_text("1 file")
    card.get_by_role("heading").get_by_role("link").click()
    expect(signed_in.get_by_role("link", name=re.compile("^Versions"))).to_contain_text(re.compile("[2-9]"))


def test_a_deleted_space_leaves_its_skills_and_sessions(signed_in: Page, tenant: Tenant) -> None:
    space = create_space(tenant.project, None, None)
    open_spaces(signed_in, tenant)

    rows(signed_in).get_by_role("link", name="Delete").click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Delete space").click()

    expect(signed_in.get_by_text("No learning space yet")).to_be_visible()
    with pytest.raises(NotFound):
        load_space(tenant.project, space.pk)
    assert len(list_project_skills(tenant)) == 2


def test_a_person_goes_with_everything_after_the_identifier_was_typed(
    signed_in: Page, tenant: Tenant
) -> None:
    create_space(tenant.project, "kim@example.com", None)
    create_session(tenant.project, NewSession("kim@example.com"))
    open_spaces(signed_in, tenant, "people/")
    row = rows(signed_in).filter(has_text="kim@example.com")
    expect(row.locator("td").nth(1)).to_have_text("1")
    expect(row.locator("td").nth(3)).to_have_text("2")

    row.get_by_role("link", name="Delete kim@example.com").click()
    dialog = signed_in.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Delete user")
    expect(button).to_be_disabled()
    dialog.get_by_label(re.compile("to confirm")).fill("kim@example.com")
    button.click()

    expect(signed_in.get_by_text("No user yet")).to_be_visible()
    with pytest.raises(NotFound):
        count_user_resources(tenant.project, "kim@example.com")
    assert list_project_skills(tenant) == []


def test_a_space_of_many_sessions_is_shown_page_by_page(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.pages.spaces.space.PAGE_SIZE", 2)
    space = create_space(tenant.project, None, None)
    sessions = [create_session(tenant.project, NewSession())[0] for _ in range(3)]
    for session in sessions:
        attach_session(tenant.project, space.pk, session.pk)
    owner, place = sign_in_owner(tenant), f"/p/{tenant.project_id}/spaces/{space.pk}/"

    def shown(query: str) -> tuple[list[bool], str]:
        page = owner.get(f"{place}{query}").content.decode()
        return [str(session.pk) in page for session in sessions], page

    listed, first = shown("?tab=sessions")
    following = re.search(r'href="[^"]*(\?[^"]+)" rel="next"', first)
    assert following
    rest, last = shown(html.unescape(following[1]))

    assert sum(listed) == 2
    assert rest == [not is_listed for is_listed in listed]
    assert ("Back to the start" in first, "Back to the start" in last) == (False, True)


def test_a_viewer_and_a_stranger_change_nothing(page: Page, tenant: Tenant, stranger: Tenant) -> None:
    project = tenant.project
    space, other = create_space(project, "kim", None), create_space(stranger.project, None, None)
    session, _ = create_session(project, NewSession("kim"))
    attach_session(project, space.pk, session.pk)
    skill = list_skills(project, space.pk).rows[0]
    sign_in(page, add_viewer(tenant))
    place = f"/p/{tenant.project_id}/spaces/"
    page.goto(f"{place}{space.pk}/")
    expect(page.get_by_role("button", name="Add skill")).to_be_disabled()

    token = page.locator('meta[name="csrf-token"]').get_attribute("content") or ""
    changes = ("edit/", "meta/", "delete/", "skills/add/", f"skills/{skill.pk}/remove/", "learn/")
    for address in ("new/", *(f"{space.pk}/{change}" for change in changes)):
        answer = page.request.post(
            place + address, headers={"X-CSRFToken": token, "Referer": page.url}, form={"meta": "{}"}
        )
        assert answer.status == 403, address
    for address in (f"{place}{other.pk}/", f"/p/{stranger.project_id}/spaces/{other.pk}/"):
        assert page.request.get(address).status == 404
    assert list_skills(project, space.pk).rows
