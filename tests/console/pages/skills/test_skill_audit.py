"""What members do with skills, and its entry in the audit log: both are there, or neither is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from knowledgebase.models import KnowledgeFile
from skills.models import Skill
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.skill_pages import (
    changed_skill,
    list_project_skills,
    made_skill,
    skill_text,
)
from tests.support.knowledge.knowledge import new_base, wait_for_files
from tests.support.tasks.crashes import SimulatedKill

# What a form of each page sends, one after the other; {version} is the skill's present one, {other} another skill,
# {base} a linked knowledge base.
FORMS: dict[str, tuple[str, dict[str, str]]] = {
    "skill.edited": ("edit/", {"text": skill_text("Good day"), "seen": "{version}"}),
    "skill.restored": ("versions/1/restore/", {}),
    "skill.copied": ("copy/", {"chosen": "{base}"}),
    "skill.merged": ("merge/", {"text": skill_text("Greeting"), "seen": "{version}", "with": "{other}"}),
    "skill.archive": ("move/archive/", {}),
    "skill.deleted": ("delete/", {}),
    "skill.uploaded": ("upload/", {}),
}


@contextmanager
def failing_audit_log() -> Iterator[None]:
    """The plug is pulled when an entry is to be written."""

    def refuse(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if 'INSERT INTO "tenancy_auditevent"' in sql:
            raise SimulatedKill
        return execute(sql, *arguments)

    with connection.execute_wrapper(refuse):
        yield


def found(tenant: Tenant) -> list[tuple[UUID, str, int, str]]:
    """Skills and files of knowledge bases."""
    skills = [
        (skill.pk, skill.title, skill.version, str(skill.state)) for skill in list_project_skills(tenant)
    ]
    with tenant_scope(tenant.project.account):
        files = KnowledgeFile.objects.within(tenant.project.account).values_list("pk", "name")
        return [*skills, *((key, name, 0, "") for key, name in files)]


def audited(tenant: Tenant, skill: Skill) -> list[tuple[str, str]]:
    account = tenant.project.account
    with tenant_scope(account):
        rows = AuditEvent.objects.within(account).filter(action__startswith="skill.").order_by("created_at")
        pairs = rows.values_list("action", "object_id")
        return [(action, "this" if key == str(skill.pk) else "new") for action, key in pairs]


def test_a_skill_changes_with_its_entry_in_the_audit_log_or_not_at_all(tenant: Tenant, api: Api) -> None:
    skill, other, base = made_skill(tenant, "Greeting"), made_skill(tenant, "Farewell"), new_base(api)
    changed_skill(tenant, skill, skill_text("Welcome"))
    client = sign_in_owner(tenant)

    def send(action: str, before: list[tuple[UUID, str, int, str]]) -> Any:
        files = {"files": SimpleUploadedFile("hello.md", skill_text("Hello").encode())}
        place = f"/p/{tenant.project_id}/skills/"
        page, form = FORMS[action]
        if action == "skill.uploaded":
            return client.post(place + page, files)
        version = next(version for key, _, version, _ in before if key == skill.pk)
        values = {
            name: text.format(version=version, other=other.pk, base=base) for name, text in form.items()
        }
        return client.post(f"{place}{skill.pk}/{page}", values)

    for action in FORMS:
        before, known = found(tenant), audited(tenant, skill)
        with failing_audit_log(), pytest.raises(SimulatedKill):
            send(action, before)
        assert (found(tenant), audited(tenant, skill)) == (before, known)
        assert send(action, before).status_code == 302
        assert found(tenant) != before
        assert audited(tenant, skill) == [
            *known,
            (action, "new" if action == "skill.uploaded" else "this"),
        ]
        if (
            action == "skill.copied"
        ):  # the worker makes a skill of the base's file, which is no change of this one
            wait_for_files(api, base)


def test_who_has_no_knowledge_base_to_copy_a_skill_to_is_led_to_them(tenant: Tenant) -> None:
    skill = made_skill(tenant)

    page = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/skills/{skill.pk}/copy/").content.decode()

    assert "no knowledge base yet" in page
    assert f'href="/p/{tenant.project_id}/knowledge/"' in page
