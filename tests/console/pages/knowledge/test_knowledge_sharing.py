"""A knowledge base is shared, corrected, renamed and deleted in the browser, by anyone who may."""

from __future__ import annotations

import re
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from playwright.sync_api import Page, expect

from knowledgebase.bases.bases import link_base, load_base
from memories.models import Task
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, Membership, Project, ProjectRole, Role, User
from tests.support.accounts.people import add_member, sign_in_owner
from tests.support.accounts.people import sign_in as sign_in_by_form
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import sign_in
from tests.support.console.knowledge_pages import open_base, row
from tests.support.documents.small_files import locked_pdf
from tests.support.knowledge.knowledge import fetch_files, filled_base, new_base, upload, wait_for_files
from tests.support.servers.file_server import FileServer


def other_project(tenant: Tenant, name: str) -> Project:
    project: Project = tenant.project.account.projects.create(name=name)
    return project


def test_what_was_told_is_listed_before_and_after_and_reverted(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = filled_base(api, {"policy.md": b"# Limits\n\nThe purchase limit for office software is 800 CNY."})
    open_base(signed_in, tenant, base, "?tab=corrections")

    words = "The purchase limit for office software is 600 CNY, not 800 CNY."
    signed_in.get_by_label("Add a correction").fill(words)
    signed_in.get_by_role("button", name="Submit correction").click()

    corrections = (
        signed_in.locator("#corrections").get_by_role("listitem").filter(has=signed_in.locator("del"))
    )
    expect(corrections.first).to_contain_text("600")
    expect(corrections.first.locator("del").first).to_contain_text("800")
    expect(corrections.first).to_contain_text(words)
    expect(corrections.first).to_contain_text("Console")
    assert "600" in api.facts("lou", "Limit for office software?", knowledgebase_ids=[base], relativity=0)[0]

    corrections.first.get_by_role("link", name="Revert…").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Revert").click()
    expect(corrections.first).to_contain_text("Reverted")
    facts = api.facts("lou", "Limit for office software?", knowledgebase_ids=[base], relativity=0)
    assert "800" in facts[0]
    assert not any("600" in fact for fact in facts)


def test_a_second_project_associates_the_base_and_lets_it_go(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = new_base(api, "Company policies")
    staging = other_project(tenant, "staging")

    signed_in.goto(f"/p/{staging.pk}/knowledge/")
    signed_in.get_by_role("link", name="Associate existing").click()
    signed_in.get_by_role("dialog").get_by_label("Knowledge base").select_option("Company policies")
    signed_in.get_by_role("dialog").get_by_role("button", name="Associate").click()
    expect(row(signed_in, "Company policies")).to_contain_text("staging")

    open_base(signed_in, tenant, base, "?tab=projects")
    signed_in.get_by_role("link", name="Disassociate staging").click()
    signed_in.get_by_role("dialog").get_by_role("button", name="Disassociate").click()
    expect(signed_in.get_by_role("link", name="Disassociate staging")).to_have_count(0)
    gone = signed_in.request.get(f"/p/{staging.pk}/knowledge/{base}/")
    assert gone.status == 404


def test_deleting_a_base_names_who_loses_it_and_wants_its_name(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = new_base(api, "Company policies")
    open_base(signed_in, tenant, base, "?tab=settings")

    signed_in.get_by_role("link", name="Delete…").click()
    dialog = signed_in.get_by_role("dialog")
    expect(dialog).to_contain_text("default")
    expect(dialog.get_by_role("button", name="Delete knowledge base")).to_be_disabled()
    dialog.get_by_label("Type").fill("Company policies")
    dialog.get_by_role("button", name="Delete knowledge base").click()

    expect(signed_in.get_by_text("No knowledge base yet")).to_be_visible()
    refused = api.call("search/memory", {"user_id": "kim", "query": "parking", "knowledgebase_ids": [base]})
    assert refused.json()["code"] == 50123
    deleted = AuditEvent.objects.within(tenant.project.account).filter(action="knowledge_base.deleted")
    assert _inside(tenant, deleted.count) == 1


def test_a_base_is_renamed_and_its_id_stays(signed_in: Page, tenant: Tenant, api: Api) -> None:
    base = new_base(api, "Old name")
    open_base(signed_in, tenant, base, "?tab=settings")

    signed_in.get_by_label("Name").fill("New name")
    signed_in.get_by_role("button", name="Save").click()
    expect(signed_in.get_by_text("Saved.")).to_be_visible()

    open_base(signed_in, tenant, base)
    expect(signed_in.get_by_role("heading", name="New name")).to_be_visible()


def test_memories_of_a_base_are_searched_frozen_and_deleted(
    signed_in: Page, tenant: Tenant, api: Api
) -> None:
    base = filled_base(
        api, {"faq.md": b"# Parking\n\nThe company pays for parking.\n\n# Laptops\n\nAsk the IT desk."}
    )
    open_base(signed_in, tenant, base, "?tab=memories")
    table = signed_in.get_by_role("table")

    signed_in.get_by_placeholder("Search memories…").fill("parking")
    expect(table).not_to_contain_text("IT desk")
    table.get_by_role("row").nth(1).get_by_role("link").first.click()
    drawer = signed_in.locator("#drawer")
    drawer.get_by_role("button", name="Freeze").click()
    expect(drawer).to_contain_text("Frozen")
    drawer.get_by_role("link", name="Delete").click()
    signed_in.get_by_role("dialog", name=re.compile("Delete")).get_by_role(
        "button", name=re.compile("^Delete")
    ).click()

    expect(signed_in.get_by_text("1 memory deleted.")).to_be_visible()
    facts = api.facts("kim", "Who pays for parking?", knowledgebase_ids=[base], relativity=0)
    assert not any("parking" in fact for fact in facts)


def test_a_viewer_reads_and_is_told_who_may_do_more(signed_in: Page, tenant: Tenant, api: Api) -> None:
    base = filled_base(api, {"faq.md": b"# Parking\n\nThe company pays for parking."})
    Membership.objects.filter(account=tenant.project.account).update(role=Role.VIEWER)

    signed_in.goto(f"/p/{tenant.project_id}/knowledge/")
    expect(signed_in.get_by_role("button", name="Create new")).to_be_disabled()
    open_base(signed_in, tenant, base)

    expect(row(signed_in, "faq.md")).to_contain_text("Completed")
    expect(signed_in.locator("#files-to-upload")).to_be_disabled()
    delete = row(signed_in, "faq.md").get_by_role("button", name="Delete faq.md")
    expect(delete).to_be_disabled()
    expect(delete).to_have_attribute("title", re.compile("Only owners, admins and developers"))
    open_base(signed_in, tenant, base, "?tab=settings")
    expect(signed_in.get_by_role("button", name="Save")).to_be_disabled()
    expect(signed_in.get_by_role("button", name="Delete…")).to_be_disabled()
    token = signed_in.locator('meta[name="csrf-token"]').get_attribute("content") or ""
    refused = signed_in.request.post(
        f"/p/{tenant.project_id}/knowledge/{base}/tell/",
        form={"words": "No."},
        headers={"X-CSRFToken": token},
    )
    assert refused.status == 403


def test_a_higher_role_in_one_project_reaches_no_base_of_another(tenant: Tenant, api: Api) -> None:
    base = new_base(api, "Company policies")
    account, staging = tenant.project.account, other_project(tenant, "staging")
    guest = add_member(account, Role.VIEWER)
    ProjectRole.objects.create(project=staging, user=guest, role=Role.ADMIN, account=account)
    browser, here = sign_in_by_form(guest), f"/p/{staging.pk}/knowledge"

    assert browser.post(f"{here}/associate/", {"chosen": base}).status_code == 403

    with tenant_scope(tenant.project):
        shared = load_base(tenant.project, base)
    link_base(staging, shared)
    words = {"name": "Mine", "typed": "Company policies"}
    for action in ("edit", "delete", f"projects/{tenant.project.pk}/delete"):
        assert browser.post(f"{here}/{base}/{action}/", words).status_code == 403, action
    with tenant_scope(tenant.project):
        assert load_base(tenant.project, base).name == "Company policies"


def test_a_stranger_finds_neither_base_nor_file(
    page: Page, tenant: Tenant, stranger: Tenant, api: Api
) -> None:
    base = filled_base(api, {"faq.md": b"# Parking\n\nThe company pays for parking."})
    (file,) = api.data("get/knowledgebase-file", {"knowledgebase_id": base})["file_detail_list"]
    sign_in(page, stranger)

    for project in (tenant.project_id, stranger.project_id):
        for path in ("", f"files/{file['id']}/", f"files/{file['id']}/download/", "delete/"):
            answer = page.request.get(f"/p/{project}/knowledge/{base}/{path}")
            assert answer.status == 404, path
    assert page.request.get("/files/made:up:signature/").status == 404


def test_the_dashboards_old_addresses_lead_here(signed_in: Page, tenant: Tenant, api: Api) -> None:
    base = new_base(api, "Company policies")

    signed_in.goto("/en/knowledgeBase")
    expect(signed_in.get_by_role("heading", name="Knowledge bases")).to_be_visible()
    signed_in.goto(f"/knowledgeBase/{base}/")

    expect(signed_in.get_by_role("heading", name="Company policies")).to_be_visible()


def _inside(tenant: Tenant, ask: Any) -> Any:
    with tenant_scope(tenant.project.account):
        return ask()


def test_a_failed_file_says_why_once_and_what_helps(tenant: Tenant, api: Api) -> None:
    """Only of pictures is it said that they hold no text."""
    base = new_base(api)
    upload(api, base, {"lines.md": b"***\n\n---\n", "locked.pdf": locked_pdf()})
    wait_for_files(api, base)
    console, address = sign_in_owner(tenant), f"/p/{tenant.project_id}/knowledge/{base}/"

    pages = [
        console.get(f"{address}files/{file['id']}/").content.decode()
        for file in sorted(fetch_files(api, base), key=lambda file: str(file["name"]))
    ]

    with tenant_scope(tenant.project):
        tasks = list(Task.objects.within(tenant.project).filter(kind="file"))
    task_pages = [console.get(f"/p/{tenant.project_id}/tasks/{task.pk}/").content.decode() for task in tasks]

    assert any(">lines.md</a>" in page for page in task_pages)
    assert "it holds no text" in pages[0]
    assert "Upload a file that holds text." in pages[0]
    assert "without a password" in pages[1]
    assert not any("No text was found" in page for page in pages)


def test_an_address_is_fetched_as_it_was_given_or_refused(
    tenant: Tenant, api: Api, files: FileServer
) -> None:
    base, console = new_base(api), sign_in_owner(tenant)
    page = f"/p/{tenant.project_id}/knowledge/{base}/address/"
    long = files.serves("a" * 3_000 + ".md", b"# Parking\n\nThe company pays for parking.")

    refusal = console.post(page, {"url": f"{long}?{'b' * 1_000}"}, HTTP_HX_REQUEST="true")
    assert refusal.status_code == 422
    assert "An address has at most 4000 characters" in refusal.content.decode()
    assert fetch_files(api, base) == []

    assert console.post(page, {"url": long}).status_code == 302
    (file,) = wait_for_files(api, base)
    assert file["status"] == "completed"
    assert long.removeprefix(f"http://{files.address}") in files.asked


def test_each_change_leaves_one_line_in_the_audit_log(tenant: Tenant, api: Api) -> None:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    base = filled_base(api, {"faq.md": b"# Parking\n\nThe company pays for parking."}, "Policies")
    (file,) = fetch_files(api, base)
    staging = other_project(tenant, "staging")
    lines = AuditEvent.objects.within(tenant.project.account)
    changes: list[tuple[str, dict[str, Any]]] = [
        ("new/", {"name": "Manuals"}),
        (f"{base}/edit/", {"name": "Policies", "description": "Rules."}),
        (f"{base}/upload/", {"files": SimpleUploadedFile("b.md", b"# Laptops\n\nAsk the IT desk.")}),
        (f"{base}/address/", {"url": "https://files.example.invalid/a.pdf"}),
        (f"{base}/tell/", {"words": "Parking is paid for by the driver."}),
        (f"{base}/projects/new/", {"chosen": str(staging.pk)}),
        (f"{base}/projects/{staging.pk}/delete/", {}),
        (f"{base}/files/{file['id']}/again/", {}),
        (f"{base}/files/{file['id']}/delete/", {}),
        (f"{base}/delete/", {"typed": "Policies"}),
    ]

    for path, body in changes:
        before = _inside(tenant, lines.count)
        assert client.post(f"/p/{tenant.project_id}/knowledge/{path}", body).status_code in {302, 200}, path
        assert _inside(tenant, lines.count) == before + 1, path
