"""Every page in both themes and both languages, on a phone and, in English, on a screen: complete, readable, nothing
sideways.

A theme does not move letters, so each is looked at in one of the languages.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tenancy.models import Role
from tenancy.people.invitations import invite_member
from tenancy.people.members import Roles, change_roles
from tests.support.accounts.people import add_member, get_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import sign_in_by_form
from tests.support.console.layout import NARROWEST, THEMES, WIDTHS, look, look_at_all
from tests.support.console.skill_pages import (
    changed_skill,
    made_skill,
    skill_text,
    space_with,
    talked,
    with_tasks,
)
from tests.support.documents.small_files import locked_pdf
from tests.support.knowledge.knowledge import new_base, upload, wait_for_files

PUBLIC = ["/", "/pricing/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
PUBLIC += ["/docs/", "/docs/rest-api/", "/docs/configuration/"]
OF_PROJECT = ["", "quickstart/", "api-keys/", "memories/", "knowledge/", "settings/", "logs/"]
OF_PROJECT += [
    "skills/",
    "spaces/",
    "spaces/people/",
    "sessions/",
    "memories/trash/",
    "users/",
    "conversations/",
    "health/",
    "playground/",
    "playground/tests/",
]
OF_ACCOUNT = [
    "",
    "usage/",
    "usage/?by=user",
    "limits/",
    "billing/",
    "billing/choose/pro/month/",
    "deletions/",
    "settings/",
]
OF_BASE = ["", "?tab=skills", "?tab=memories", "?tab=corrections", "?tab=projects", "?tab=settings"]
OF_SKILL = [
    "",
    "?path=scripts/a.py",
    "?tab=versions",
    "?tab=versions&layout=split",
    "?tab=evidence",
    "?tab=use",
]
OF_SKILL += ["?tab=install", "edit/", "merge/", "?version=1"]
OF_SPACE = ["", "?tab=sessions", "?tab=metadata"]
OF_SESSION = ["", "?tab=tasks", "?tab=configs"]
POLICY = b"# Limits\n\nThe purchase limit for office software is 800 CNY.\n"
# Which of a project's and of an account's pages show what was said and uploaded.
FILLED_OF_PROJECT = [
    "",
    "?by=code",
    "quickstart/",
    "memories/",
    "knowledge/",
    "logs/",
    "users/",
    "users/kim/",
    "users/kim/?tab=timeline",
    "users/kim/?tab=as-of",
    "conversations/",
    "health/",
]
FILLED_OF_ACCOUNT = ["", "usage/", "usage/?by=user", "limits/"]


@pytest.mark.parametrize("path", PUBLIC)
def test_public_pages_stand_at_every_width(page: Page, path: str) -> None:
    look(page, path, WIDTHS)


def test_project_pages_stand_empty_and_full(signed_in: Page, tenant: Tenant, api: Api) -> None:
    project, account = f"/p/{tenant.project_id}", f"/a/{tenant.project.account_id}"

    empty = [f"{project}/{name}" for name in OF_PROJECT] + [f"{account}/{name}" for name in OF_ACCOUNT]
    full = [f"{project}/{name}" for name in FILLED_OF_PROJECT]
    full += [f"{account}/{name}" for name in FILLED_OF_ACCOUNT]
    # What stands full on a screen has room there when it is empty.
    look_at_all(signed_in, "en", [path for path in empty if path in full], NARROWEST)
    look_at_all(signed_in, "en", [path for path in empty if path not in full])
    base = new_base(api, "Policies of all departments", "What holds for everybody, wherever they work.")
    of_base = [f"{project}/knowledge/{base}/{tab}" for tab in OF_BASE]
    look_at_all(signed_in, "en", of_base, NARROWEST)
    api.add("kim", "I live in Lisbon. I like green tea.", {"role": "assistant", "content": "Noted."})
    api.search("kim", "Where do I live?")
    upload(api, base, {"A_name_without_any_place_to_break_it_in_two.md": POLICY, "secret.pdf": locked_pdf()})
    files = [f"{project}/knowledge/{base}/files/{file['id']}/" for file in wait_for_files(api, base)]
    full += of_base + files
    look_at_all(signed_in, "en", full)
    # English words are the wider ones: what stands full in Chinese too is not looked at empty in it.
    look_at_all(signed_in, "zh-Hans", full + [path for path in empty if path not in full])


def test_pages_of_skills_and_sessions_stand_full(signed_in: Page, tenant: Tenant) -> None:
    long_name = "A_name_without_any_place_to_break_it_in_two_" * 3
    skill = made_skill(tenant, long_name, files={"scripts/a.py": "x = 1\n" * 200, "a/b/c/d.bin": b"\0"})
    made_skill(tenant, "Another", user="kim", origin="generated", state="draft")
    changed_skill(
        tenant, skill, skill_text("Shorter") + "\n| a | b |\n| - | - |\n| " + "c" * 300 + " | d |\n"
    )
    session = talked(tenant, long_name)
    with_tasks(tenant, session)
    space = space_with(tenant, session, long_name)

    place = f"/p/{tenant.project_id}"
    paths = [f"{place}/{name}" for name in ("skills/", "spaces/", "spaces/people/", "sessions/")]
    paths += [f"{place}/skills/{skill.pk}/{part}" for part in OF_SKILL]
    paths += [f"{place}/spaces/{space.pk}/{part}" for part in OF_SPACE]
    paths += [f"{place}/sessions/{session.pk}/{part}" for part in OF_SESSION]
    for language in THEMES:
        look_at_all(signed_in, language, paths)


OF_LOGIN = ["", "delete/"]
OF_SIGN_IN = [
    "2fa/",
    "2fa/webauthn/",
    "2fa/totp/activate/",
    "2fa/webauthn/add/",
    "sessions/",
    "email/",
    "password/change/",
    "reauthenticate/",
]


def test_pages_of_people_stand(page: Page, tenant: Tenant) -> None:
    account = tenant.project.account
    for role in (Role.ADMIN, Role.VIEWER):
        change_roles(
            account,
            add_member(account, role),
            Roles(role, {tenant.project_id: "developer"}),
            get_owner(tenant),
        )
    sent = invite_member(
        account, "somebody.with.a.long.name.and.no.end@departments.example.org", "admin", get_owner(tenant)
    )
    page.goto(f"/invite/{sent.token}/")
    sign_in_by_form(page, tenant)

    paths = [f"/a/{account.pk}/{name}" for name in ("members/", "audit/", "invitations/new/", "delete/")]
    paths += [f"/a/{account.pk}/{name}" for name in ("second-factor/", "members/second-factor/")]
    paths += [f"/a/{account.pk}/members/{get_owner(tenant).pk}/roles/"]
    paths += ["/device/", *(f"/me/{name}" for name in OF_LOGIN)]
    paths += [f"/accounts/{name}" for name in OF_SIGN_IN]
    for language in THEMES:
        look_at_all(page, language, paths)
