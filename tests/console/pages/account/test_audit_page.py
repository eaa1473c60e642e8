"""The audit log, read in the browser."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from django.conf import settings
from playwright.sync_api import Page, expect

from console.pages.account.audit.audit_actions import ACTIONS
from tenancy.audit.log import BATCH, record_event
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, Role
from tenancy.people.members import Roles, change_roles
from tests.support.accounts.oauth import find_csrf_token
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.waiting import LIMIT


def audit_page(tenant: Tenant) -> str:
    return f"/a/{tenant.project.account_id}/audit/"


def test_a_change_is_found_read_and_verified(signed_in: Page, tenant: Tenant) -> None:
    owner = get_owner(tenant)
    member = add_member(tenant.project.account, Role.VIEWER)
    change_roles(tenant.project.account, member, Roles("developer"), owner)
    signed_in.goto(audit_page(tenant))

    signed_in.get_by_label("About").select_option("member")
    row = signed_in.get_by_role("row").filter(has_text="Roles changed")
    expect(row).to_contain_text(owner.email)
    expect(row).to_contain_text("Viewer")
    expect(row).to_contain_text("Developer")
    expect(signed_in.get_by_role("row").filter(has_text="Signed in")).to_have_count(0)

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


def test_an_export_is_written_while_it_is_read(tenant: Tenant) -> None:
    """What is recorded after the first piece is the last line: the server had not read that far."""
    account, owner = tenant.project.account, get_owner(tenant)
    # More than one batch, and the first is more than the buffers between server and reader hold.
    with tenant_scope(account):
        AuditEvent.objects.bulk_create(
            AuditEvent(
                account=account,
                actor_kind="system",
                action="project.changed",
                object_kind="project",
                object_id=tenant.project_id,
                detail={"after": f"{number} " + "description " * 800},
            )
            for number in range(BATCH + 10)
        )
    cookie = {settings.SESSION_COOKIE_NAME: sign_in_owner(tenant).cookies[settings.SESSION_COOKIE_NAME].value}
    with httpx.Client(
        base_url=tenant.url, cookies=cookie, trust_env=False, verify=False, timeout=LIMIT
    ) as browser:
        form = {
            "csrfmiddlewaretoken": find_csrf_token(browser.get(audit_page(tenant)).text),
            "format": "jsonl",
        }
        with browser.stream(
            "POST", f"{audit_page(tenant)}export/", data=form, headers={"Referer": tenant.url}
        ) as answer:
            assert answer.status_code == 200
            pieces = answer.iter_bytes()
            text = next(pieces)
            record_event(account, owner, "project.renamed", tenant.project)
            text += b"".join(pieces)

    actions = [json.loads(json.loads(line)["entry"])["action"] for line in text.splitlines()]
    assert actions.count("project.changed") == BATCH + 10
    assert actions[-1] == "project.renamed"


def test_developers_see_what_they_did_and_viewers_nothing(tenant: Tenant) -> None:
    developer = add_member(tenant.project.account, Role.DEVELOPER)
    viewer = add_member(tenant.project.account, Role.VIEWER)
    theirs = sign_in(developer)

    page = theirs.get(audit_page(tenant)).content.decode()

    assert developer.email in page
    assert get_owner(tenant).email not in page
    assert theirs.post(f"{audit_page(tenant)}export/", {"format": "csv"}).status_code == 403
    assert sign_in(viewer).get(audit_page(tenant)).status_code == 403


def test_times_and_counts_of_an_entry_are_for_people(tenant: Tenant) -> None:
    until = datetime(2026, 12, 3, 17, 3, 35, 810_483, UTC).isoformat()
    detail = {"count": 3, "restorable_until": until}
    record_event(tenant.project.account, get_owner(tenant), "memories.deleted", tenant.project, detail=detail)

    page = sign_in(get_owner(tenant)).get(audit_page(tenant)).content.decode()

    assert "2026-12-03 17:03 UTC" in page
    assert until not in page
    assert '<span class="muted">Count:</span> 3' in page


IN_CHINESE: list[tuple[str, dict[str, Any], str]] = [
    ("member.roles_changed", {"before": {"role": "viewer"}, "after": {"role": "developer"}}, "开发者"),
    ("key.created", {"after": {"scopes": ["read", "delete"]}}, "删除记忆和最终用户"),
    ("task.cancelled", {"before": {"state": "queued"}, "after": {"state": "failed"}}, "排队中"),
    ("memory.updated", {"fields": ["tags", "text"]}, "标签, 值"),
    ("memories.job_completed", {"action": "archive", "counts": {"done": 3, "frozen": 1}}, "已完成: 3"),
    ("project.settings_changed", {"section": "trash", "before": {"days": 7}, "after": {"days": 3}}, "回收站"),
]


def test_values_of_entries_are_in_the_language_of_the_reader(tenant: Tenant) -> None:
    account, owner = tenant.project.account, get_owner(tenant)
    for action, detail, _ in IN_CHINESE:
        record_event(account, owner, action, tenant.project, detail=detail)

    page = sign_in(owner).get(audit_page(tenant), headers={"Accept-Language": "zh-hans"}).content.decode()

    texts = re.sub(r"<[^>]*>", " ", page[page.index("<tbody>") : page.index("</tbody>")])
    for _, _, words in IN_CHINESE:
        assert words in texts
    assert not re.findall(
        r"\b(?:viewer|developer|queued|failed|archive|done|frozen|days|trash|tags|text)\b", texts
    )


def test_what_was_made_has_no_values_before(tenant: Tenant) -> None:
    made = {"name": "nightly", "ranges": [], "daily_cap": 500}
    changed = {"before": made, "after": made | {"daily_cap": None}}
    for action, detail in (("key.created", {"before": None, "after": made}), ("key.changed", changed)):
        record_event(tenant.project.account, get_owner(tenant), action, tenant.project, detail=detail)

    page = sign_in(get_owner(tenant)).get(audit_page(tenant)).content.decode()

    assert '<span class="muted">Name:</span> nightly' in page
    assert '<span class="muted">Daily cap:</span> <del>500</del> → <ins>–</ins>' in page
    assert "Address ranges" not in page


def test_every_action_that_is_recorded_has_words() -> None:
    """In the sources: a literal that is given to `record_event`, by anyone who calls it."""
    root, missing = Path(__file__).parents[4], set()
    for app in ("console", "knowledgebase", "memories", "skills", "tenancy"):
        for path in (root / app).rglob("*.py"):
            for call in re.finditer(r"record_event\(([^)]*\)?[^)]*)", path.read_text()):
                missing |= {
                    action for action in re.findall(r'"([a-z_]+\.[a-z_]+)"', call[1]) if action not in ACTIONS
                }
    assert not missing
