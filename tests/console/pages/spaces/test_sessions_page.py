"""Sessions of agents with their messages and tasks, in the browser."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from skills.message_formats import normalise_message
from skills.models import Session
from skills.sessions.messages import NewMessage, store_message
from skills.sessions.sessions import load_session
from tenancy.errors import NotFound
from tests.support.api_client import Tenant
from tests.support.console.browser import sign_in
from tests.support.console.skill_pages import TALK, add_viewer, talked, with_tasks


def open_session(page: Page, tenant: Tenant, session: Session, query: str = "") -> None:
    page.goto(f"/p/{tenant.project_id}/sessions/{session.pk}/{query}")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()


def turns(page: Page) -> Locator:
    return page.get_by_role("list", name="Messages, oldest first").locator("> li")


def test_sessions_are_listed_filtered_and_created(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/sessions/")
    expect(signed_in.get_by_text("No session yet")).to_be_visible()
    mine, other = talked(tenant, "kim"), talked(tenant, "lou")
    signed_in.reload()
    body = signed_in.locator("tbody tr")
    expect(body).to_have_count(2)

    signed_in.get_by_placeholder("User", exact=True).fill("kim")
    expect(body).to_have_count(1)
    expect(body).to_contain_text([str(mine.pk)])
    signed_in.get_by_placeholder("User", exact=True).fill("")
    signed_in.get_by_role("searchbox").fill(str(other.pk))
    expect(body).to_contain_text([str(other.pk)])

    signed_in.get_by_role("link", name="New session").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("User").fill("mia")
    dialog.get_by_label("Find tasks in it").uncheck()
    dialog.get_by_role("button", name="Create session").click()
    expect(signed_in.get_by_role("heading", name="Session of mia")).to_be_visible()
    expect(signed_in.get_by_text("Not tracked")).to_be_visible()


def test_messages_show_their_parts_in_order_and_no_html_and_files_are_named_and_downloaded_whole(
    signed_in: Page, tenant: Tenant
) -> None:
    contract, session = os.urandom(3 * 1024), talked(tenant)
    url = f"data:application/pdf;base64,{base64.b64encode(contract).decode()}"
    part = {"type": "file", "file": {"file_data": url, "filename": "合同.pdf"}}
    blob = {"role": "user", "content": [{"type": "text", "text": "Here."}, part]}
    store_message(tenant.project, session.public_id, NewMessage.of(normalise_message("openai", blob)), {})

    open_session(signed_in, tenant, session)

    expect(turns(signed_in)).to_have_count(5)
    expect(turns(signed_in).nth(1)).to_contain_text("get_order")
    expect(turns(signed_in).nth(1)).to_contain_text('"order": 17')
    expect(turns(signed_in).nth(2)).to_contain_text("tool")
    expect(turns(signed_in).nth(2)).to_contain_text('"state": "lost"')
    expect(turns(signed_in).nth(3)).to_contain_text("<b>Sorry</b>")
    expect(turns(signed_in).nth(4)).to_contain_text("合同.pdf")
    expect(turns(signed_in).nth(4)).to_contain_text("3.0 KB")
    place = f"/p/{tenant.project_id}/sessions/{session.public_id}/download/"
    items: dict[str, Any] = {}
    for form in ("openai", "anthropic", "acontext"):
        answer = signed_in.request.get(f"{place}?format={form}")
        assert answer.headers["content-disposition"].startswith("attachment"), form
        items[form] = answer.json()
        assert items[form][0]["role"] == "user", form
        assert "get_order" in json.dumps(items[form][1]), form
    sent = [{key: value for key, value in blob.items() if value is not None} for blob in TALK]
    assert items["openai"] == [*sent, blob]


def test_messages_are_filtered_by_task_and_tasks_say_how_they_went(signed_in: Page, tenant: Tenant) -> None:
    session = talked(tenant)
    with_tasks(tenant, session)
    open_session(signed_in, tenant, session)

    signed_in.get_by_role("navigation", name="Messages of a task").get_by_text("Task 1").click()
    expect(turns(signed_in)).to_have_count(3)
    signed_in.get_by_role("link", name="No task").click()
    expect(turns(signed_in)).to_have_count(1)

    signed_in.get_by_role("main").get_by_role("link", name="Tasks").click()
    task = signed_in.get_by_role("list", name="Tasks, in their order").get_by_role("listitem").first
    expect(task).to_contain_text("Find order 17")
    expect(task).to_contain_text("Failed")
    expect(task).to_contain_text("Asked the carrier")
    expect(signed_in.get_by_text("Kim wants mails")).to_be_visible()


def test_configs_are_edited_as_json_and_the_session_is_deleted_for_good(
    signed_in: Page, tenant: Tenant
) -> None:
    session = talked(tenant)
    open_session(signed_in, tenant, session, "?tab=configs")
    save = signed_in.get_by_role("button", name="Save")
    expect(save).to_be_disabled()

    signed_in.locator("#json").fill("{broken")
    expect(save).to_be_disabled()
    signed_in.locator("#json").fill('{"original_date": "2026-03-31"}')
    save.click()

    expect(signed_in.get_by_text("Saved.", exact=True)).to_be_visible()
    assert load_session(tenant.project, session.pk).configs == {"original_date": "2026-03-31"}

    signed_in.get_by_role("link", name="Delete the session").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Delete session").click()

    expect(signed_in.get_by_text("No session yet")).to_be_visible()
    with pytest.raises(NotFound):
        load_session(tenant.project, session.pk)


def test_criteria_of_tasks_and_the_growth_of_skills_are_settings(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/settings/#skills")

    signed_in.get_by_label("Drafts need approval").check()
    criteria = signed_in.locator("#task-criteria")
    criteria.get_by_label("A task has succeeded when").fill("The user says thank you.")
    signed_in.get_by_role("button", name="Save changes").click()
    expect(signed_in.get_by_role("region", name="Unsaved changes")).to_be_hidden()
    expect(criteria.get_by_label("A task has succeeded when")).to_have_value("The user says thank you.")

    signed_in.reload()
    expect(signed_in.get_by_label("Drafts need approval")).to_be_checked()
    expect(signed_in.get_by_label("Generate skills from conversations")).to_be_checked()
    settings = tenant.project.settings
    assert settings["skills"] == {"generate": True, "approval": True}
    assert settings["acontext"] == {"task_success_criteria": "The user says thank you."}


def test_a_viewer_reads_and_a_stranger_finds_nothing(page: Page, tenant: Tenant, stranger: Tenant) -> None:
    mine, theirs = talked(tenant), talked(stranger)
    sign_in(page, add_viewer(tenant))
    place = f"/p/{tenant.project_id}/"
    open_session(page, tenant, mine)
    expect(turns(page)).to_have_count(4)

    token = page.locator('meta[name="csrf-token"]').get_attribute("content") or ""
    for address in (
        f"sessions/{mine.pk}/configs/",
        f"sessions/{mine.pk}/delete/",
        "sessions/new/",
        "settings/skills/",
        "settings/tasks/",
    ):
        headers = {"X-CSRFToken": token, "Referer": page.url}
        assert page.request.post(place + address, headers=headers, form={"configs": "{}"}).status == 403
    for address in ("", "?tab=tasks", "download/", "delete/"):
        assert page.request.get(f"{place}sessions/{theirs.pk}/{address}").status in {403, 404}, address
    assert page.request.get(f"{place}sessions/{theirs.pk}/").status == 404
