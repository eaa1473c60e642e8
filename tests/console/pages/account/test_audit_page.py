"""The audit log, read in the browser."""

from __future__ import annotations

import csv
import io
import json

from playwright.sync_api import Page, expect

from tenancy.models import Role
from tenancy.people.members import Roles, change_roles
from tests.support.api_client import Tenant
from tests.support.people import member_of, owner_of, sign_in


def audit_page(tenant: Tenant) -> str:
    return f"/a/{tenant.project.account_id}/audit/"


def test_a_change_is_found_read_and_verified(signed_in: Page, tenant: Tenant) -> None:
    owner = owner_of(tenant)
    member = member_of(tenant.project.account, Role.VIEWER)
    change_roles(tenant.project.account, member, Roles("developer"), owner)
    signed_in.goto(audit_page(tenant))

    signed_in.get_by_label("About").select_option("member")
    row = signed_in.get_by_role("row").filter(has_text="member.roles_changed")
    expect(row).to_contain_text(owner.email)
    expect(row).to_contain_text("viewer")
    expect(row).to_contain_text("developer")
    expect(signed_in.get_by_role("row").filter(has_text="login.signed_in")).to_have_count(0)

    signed_in.get_by_role("button", name="Verify").click()

    expect(signed_in.get_by_text("The audit log is intact")).to_be_visible()


def test_an_export_holds_every_entry(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(audit_page(tenant))

    with signed_in.expect_download() as download:
        signed_in.get_by_role("button", name="JSON").click()
    lines = download.value.path().read_text().splitlines()
    with signed_in.expect_download() as download:
        signed_in.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))

    actions = [json.loads(json.loads(line)["entry"])["action"] for line in lines]
    assert actions[-1] == "audit.exported"
    assert [row["action"] for row in rows] == [*actions, "audit.exported"]


def test_developers_see_what_they_did_and_viewers_nothing(tenant: Tenant) -> None:
    developer = member_of(tenant.project.account, Role.DEVELOPER)
    viewer = member_of(tenant.project.account, Role.VIEWER)
    theirs = sign_in(developer)

    page = theirs.get(audit_page(tenant)).content.decode()

    assert developer.email in page
    assert owner_of(tenant).email not in page
    assert theirs.post(f"{audit_page(tenant)}export/", {"format": "csv"}).status_code == 403
    assert sign_in(viewer).get(audit_page(tenant)).status_code == 403
