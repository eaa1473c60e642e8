"""Several skills sent at once, by a form without scripts: all of them, or a word about each that is not in."""

from __future__ import annotations

import html
import random
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent
from tests.support.accounts.people import sign_in_owner
from tests.support.accounts.plans import give_plan
from tests.support.api_client import Tenant
from tests.support.console.skill_pages import list_project_skills, skill_text
from tests.support.skills.packages import build_package

GOOD = ("greeting.md", skill_text("Greeting").encode())
BETTER = ("farewell.md", skill_text("Farewell").encode())
BROKEN = ("evil.zip", build_package({"scripts/../../evil": "x"}))
# More than a plan with a megabyte allows, and nothing that could be packed.
LARGE = ("large.zip", build_package({"noise.bin": random.Random(7).randbytes(1_500_000)}))


def send(client: Client, tenant: Tenant, *files: tuple[str, bytes], accept: str = "text/html") -> Any:
    sent = {"files": [SimpleUploadedFile(name, content) for name, content in files]}
    return client.post(
        f"/p/{tenant.project_id}/skills/upload/", sent, headers={"Accept": accept}, follow=True
    )


def uploaded(tenant: Tenant) -> list[str]:
    """The skills that the audit log says were uploaded."""
    account = tenant.project.account
    with tenant_scope(account):
        rows = AuditEvent.objects.within(account).filter(action="skill.uploaded").order_by("created_at")
        return list(rows.values_list("object_id", flat=True))


def test_of_several_skills_none_is_stored_where_one_breaks_a_rule_and_that_one_is_named(
    tenant: Tenant,
) -> None:
    client = sign_in_owner(tenant)

    page = html.unescape(send(client, tenant, GOOD, BETTER, BROKEN).content.decode())

    assert "“evil.zip”: " in page
    assert "scripts/../../evil" in page
    assert list_project_skills(tenant) == []
    send(client, tenant, GOOD, BETTER)
    assert [skill.title for skill in list_project_skills(tenant)] == ["Greeting", "Farewell"]
    assert uploaded(tenant) == [str(skill.pk) for skill in list_project_skills(tenant)]


def test_skills_that_were_stored_before_the_storage_was_full_are_named_and_in_the_audit_log(
    tenant: Tenant,
) -> None:
    give_plan(tenant, storage_megabytes=1)
    client = sign_in_owner(tenant)

    page = html.unescape(send(client, tenant, GOOD, BETTER, LARGE).content.decode())

    assert "“large.zip”: " in page
    assert "Stored before it: “greeting.md”, “farewell.md”." in page
    stored = [str(skill.pk) for skill in list_project_skills(tenant)]
    assert len(stored) == 2
    assert uploaded(tenant) == stored
    answer = send(client, tenant, GOOD, LARGE, accept="application/json").json()
    assert "“large.zip”: " in answer["message"]
    assert answer["files"] == uploaded(tenant)[2:]
