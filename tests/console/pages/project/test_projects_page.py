"""Projects that are archived, deleted and given a model of their own, as a developer does it in the browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from console.embedded.stack import Stack
from tenancy.models import Project
from tenancy.projects.projects import archive_project
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.skill_pages import apart
from tests.support.knowledge.knowledge import new_base
from tests.support.servers.file_server import FileServer
from tests.support.servers.model_server import Reply, memories, proposal, streamed, used
from tests.support.servers.own_models import OwnModel

KEY = "sk-of-the-tenant-0815-abcd"


@apart
def make(tenant: Tenant, name: str, *, is_archived: bool = False) -> str:
    project = tenant.project.account.projects.create(name=name)
    if is_archived:
        archive_project(project, get_owner(tenant))
    return str(project.pk)


def card(page: Page, name: str):  # type: ignore[no-untyped-def]
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=name, exact=True))


def test_a_project_is_archived_at_once_and_the_toast_takes_it_back(signed_in: Page, tenant: Tenant) -> None:
    make(tenant, "staging")
    signed_in.goto(f"/a/{tenant.project.account_id}/")

    signed_in.get_by_role("button", name="Archive staging").click()

    archived = signed_in.get_by_role("region", name="Archived")
    expect(archived.get_by_role("heading", name="staging")).to_be_visible()
    expect(archived.get_by_role("button", name="Restore staging")).to_be_visible()
    signed_in.get_by_role("button", name="Undo").click()
    expect(signed_in.get_by_role("region", name="Archived")).to_have_count(0)
    expect(card(signed_in, "staging").get_by_role("link", name="Switch staging")).to_be_visible()


def test_a_project_that_another_tab_opened_meanwhile_is_not_deleted_and_says_why(tenant: Tenant) -> None:
    project = make(tenant, "staging")
    client = sign_in_owner(tenant)
    client.get(f"/p/{project}/")  # in the other tab, which makes it the current one

    answer = client.get(
        f"/a/{tenant.project.account_id}/projects/{project}/delete/", headers={"HX-Request": "true"}
    )

    assert answer.status_code == 403
    assert "Switch to another project first." in answer["HX-Trigger"]


def test_pages_of_an_archived_project_say_that_they_cannot_be_changed(
    signed_in: Page, tenant: Tenant
) -> None:
    archived = make(tenant, "summer", is_archived=True)

    signed_in.goto(f"/p/{archived}/settings/")

    expect(signed_in.get_by_text("This project is archived")).to_be_visible()
    for button in signed_in.get_by_role("button", name="Save").all():
        expect(button).to_be_disabled()


def test_the_button_that_deletes_a_project_counts_memories_where_there_are_any(
    tenant: Tenant, api: Api
) -> None:
    api.add("kim", "I live in Lisbon.")
    account = tenant.project.account
    empty = account.projects.create(name="empty")
    client = sign_in_owner(tenant)

    def read_button(project: Project) -> str:
        page = client.get(f"/a/{account.pk}/projects/{project.pk}/delete/").content.decode()
        (verb,) = re.findall(r"<button[^>]*>\s*(Delete project.*?)\s*</button>", page, re.DOTALL)
        return str(verb)

    account.memberships.update(current_project=None)
    assert read_button(empty) == "Delete project"
    assert re.fullmatch(r"Delete project and \d+ memor(y|ies)", read_button(tenant.project))


def test_a_deleted_project_is_seen_going_and_leaves_a_receipt_to_be_downloaded(
    signed_in: Page, tenant: Tenant, api: Api, tmp_path: Path
) -> None:
    api.add("kim", "I live in Lisbon.")
    new_base(api, "Policies")
    staging = make(tenant, "staging")
    signed_in.goto(f"/p/{staging}/quickstart/")
    signed_in.goto(f"/a/{tenant.project.account_id}/")

    signed_in.get_by_role("link", name="Delete default").click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.get_by_text("These knowledge bases belong to the account and stay:")).to_contain_text(
        "Policies"
    )
    dialog.get_by_role("textbox").fill("default")
    dialog.get_by_role("button", name="Delete project and").click()

    expect(signed_in.get_by_text("“default” is being deleted")).to_be_visible()
    expect(card(signed_in, "default")).to_have_count(0)
    signed_in.get_by_role("link", name="Receipts of deleted projects").click()
    signed_in.get_by_role("link", name="default").click()
    expect(signed_in.get_by_text("memories can still be recalled")).to_contain_text("0 of")
    with signed_in.expect_download() as downloading:
        signed_in.get_by_role("link", name="JSON").click()
    downloading.value.save_as(tmp_path / "receipt.json")
    receipt = json.loads((tmp_path / "receipt.json").read_text())
    assert (receipt["project"], receipt["deleted_by"]) == ("default", tenant.email)
    assert receipt["memories_still_recallable"] == 0
    assert receipt["knowledge_bases_kept"] == ["Policies"]


def test_a_projects_own_model_is_entered_tried_and_makes_its_memories(
    signed_in: Page, tenant: Tenant, files: FileServer, stack: Stack
) -> None:
    model = OwnModel(
        files, lambda _: memories(proposal("The user lives by the sea.", 0), usage=used(700, 60))
    )
    signed_in.goto(f"/p/{tenant.project_id}/settings/#provider")
    own = signed_in.get_by_role("region", name="Model provider")
    own.get_by_label("Base URL").fill(model.url)
    own.get_by_label("Model", exact=True).fill("tiny-1")
    own.get_by_label("API key").fill(KEY)
    own.get_by_role("button", name="Save").click()
    expect(own.get_by_text("A key that ends in")).to_contain_text("…abcd")

    own.get_by_role("button", name="Test").click()

    expect(own.get_by_text(re.compile("“tiny-1” answered in .* 760 tokens"))).to_be_visible()
    assert KEY not in signed_in.content()
    with tenant.api() as api:
        api.add("kim", "I live by the sea.")
        assert api.facts("kim", "Where does the user live?") == ["The user lives by the sea."]
        model.answer = lambda _: streamed("By the sea.", usage=used(9, 3))
        asked = {
            "user_id": "kim",
            "conversation_id": "c",
            "query": "Where do I live?",
            "model_name": "tiny-1",
        }
        assert api.data("chat", asked)["response"] == "By the sea."
    assert {key for key, _ in model.asked} == {f"Bearer {KEY}"}
    model.answer = lambda _: Reply(401)
    own.get_by_role("button", name="Test").click()
    expect(own.get_by_text("refused the key")).to_be_visible()
    own.get_by_role("link", name="Remove provider").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Remove provider").click()
    expect(signed_in.get_by_text("A key that ends in")).to_have_count(0)
    logs = [log.read_bytes() for log in (stack.path / "logs").iterdir()]
    assert logs
    assert not any(KEY.encode() in log for log in logs)
