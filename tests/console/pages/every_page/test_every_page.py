"""Every page in both themes and both languages, on a phone and, in English, on a screen: complete, readable, nothing
sideways, and nothing that axe-core calls serious or critical.

A theme does not move letters, so each is looked at in one of the languages.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tenancy.models import Role
from tenancy.people.invitations import invite_member
from tenancy.people.members import Roles, change_roles
from tests.support.accounts.people import add_member, get_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.axe import Axe
from tests.support.console.browser import sign_in, sign_in_by_form
from tests.support.console.layout import NARROWEST, THEMES, WIDTHS, look_at_all
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

# What axe-core looks at, and what it need not: the same parts of a page in another order, or beside them.
PUBLIC = ["/", "/pricing/", "/docs/", "/docs/limits/"]
OTHER_PUBLIC = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
OTHER_PUBLIC += ["/docs/rest-api/", "/docs/configuration/"]
OF_PROJECT = ["", "quickstart/", "api-keys/", "api-keys/new/", "playground/", "settings/"]
OF_PROJECT += ["settings/#lifecycle", "settings/#provider", "memories/", "memories/trash/", "users/"]
OF_PROJECT += ["users/kim/", "users/kim/?tab=timeline", "conversations/", "health/", "logs/", "tasks/"]
OF_PROJECT += ["knowledge/"]
OTHER_OF_PROJECT = ["?by=code", "users/kim/?tab=as-of"]
OF_ACCOUNT = ["", "usage/", "limits/", "billing/", "deletions/", "settings/"]
OTHER_OF_ACCOUNT = ["usage/?by=user"]
OF_BASE = ["", "?tab=settings"]
OTHER_OF_BASE = ["?tab=skills", "?tab=memories", "?tab=corrections", "?tab=projects"]
# As they are before anybody says or uploads anything, and shows something else than afterwards.
EMPTY_OF_PROJECT = ["", "quickstart/", "memories/", "knowledge/", "logs/", "users/", "conversations/"]
EMPTY_OF_PROJECT += ["health/", "playground/"]
EMPTY_OF_ACCOUNT = ["", "usage/", "usage/?by=user", "limits/"]
NEVER_FILLED = ["skills/", "spaces/", "spaces/people/", "sessions/", "playground/tests/"]
OF_SKILL = [
    "?path=scripts/a.py",
    "?tab=versions",
    "?tab=versions&layout=split",
    "?tab=evidence",
    "?tab=use",
]
OF_SKILL += ["?tab=install", "edit/", "merge/", "?version=1"]
OF_SPACE = ["?tab=sessions", "?tab=metadata"]
OF_SESSION = ["?tab=tasks", "?tab=configs"]
POLICY = b"# Limits\n\nThe purchase limit for office software is 800 CNY.\n"


@pytest.fixture
def axe(page: Page) -> Iterator[Axe]:
    page.emulate_media(reduced_motion="reduce")
    axe = Axe()
    yield axe
    page.emulate_media(reduced_motion="no-preference")
    assert axe.problems == []


def test_public_pages_stand_for_strangers_and_for_members(page: Page, tenant: Tenant, axe: Axe) -> None:
    """On the narrowest phone in Chinese too, and with the links that members see there."""
    look_at_all(page, "en", PUBLIC, WIDTHS, axe)
    look_at_all(page, "en", OTHER_PUBLIC, WIDTHS)
    look_at_all(page, "zh-Hans", PUBLIC)
    sign_in(page, tenant)
    for language in THEMES:
        look_at_all(page, language, PUBLIC, NARROWEST)
    page.goto("/docs/api/")
    axe.look(page)


def test_project_pages_stand_empty_and_full(signed_in: Page, tenant: Tenant, api: Api, axe: Axe) -> None:
    project, account = f"/p/{tenant.project_id}", f"/a/{tenant.project.account_id}"
    base = new_base(api, "Policies of all departments", "What holds for everybody, wherever they work.")
    of_base = [f"{project}/knowledge/{base}/{tab}" for tab in OF_BASE]
    other_of_base = [f"{project}/knowledge/{base}/{tab}" for tab in OTHER_OF_BASE]
    never_filled = [f"{project}/{name}" for name in NEVER_FILLED] + [f"{account}/billing/choose/pro/month/"]

    # What stands full on a screen has room there when it is empty.
    look_at_all(signed_in, "en", [f"{project}/{name}" for name in EMPTY_OF_PROJECT], NARROWEST)
    empty = [f"{account}/{name}" for name in EMPTY_OF_ACCOUNT] + of_base + other_of_base
    look_at_all(signed_in, "en", empty, NARROWEST)
    look_at_all(signed_in, "en", never_filled)
    api.add("kim", "I live in Lisbon. I like green tea.", {"role": "assistant", "content": "Noted."})
    api.search("kim", "Where do I live?")
    memory = api.listed("kim")["memory_detail_list"][0]["id"]
    upload(api, base, {"A_name_without_any_place_to_break_it_in_two.md": POLICY, "secret.pdf": locked_pdf()})
    files = [f"{project}/knowledge/{base}/files/{file['id']}/" for file in wait_for_files(api, base)]
    full = [f"{project}/{name}" for name in [*OF_PROJECT, f"memories/?open={memory}"]]
    full += [f"{account}/{name}" for name in OF_ACCOUNT] + of_base
    others = [f"{project}/{name}" for name in OTHER_OF_PROJECT] + other_of_base + files
    others += [f"{account}/{name}" for name in OTHER_OF_ACCOUNT]
    look_at_all(signed_in, "en", full, axe=axe)
    look_at_all(signed_in, "en", others)
    # English words are the wider ones: what stands full in Chinese too is not looked at empty in it.
    look_at_all(signed_in, "zh-Hans", [path for path in full + others if "#" not in path] + never_filled)


def test_pages_of_skills_and_sessions_stand_full(signed_in: Page, tenant: Tenant, axe: Axe) -> None:
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
    paths = [f"{place}/{name}" for name in ("skills/", "spaces/", "sessions/", f"skills/{skill.pk}/")]
    paths += [f"{place}/spaces/{space.pk}/", f"{place}/sessions/{session.pk}/"]
    others = [f"{place}/spaces/people/", *(f"{place}/skills/{skill.pk}/{part}" for part in OF_SKILL)]
    others += [f"{place}/spaces/{space.pk}/{part}" for part in OF_SPACE]
    others += [f"{place}/sessions/{session.pk}/{part}" for part in OF_SESSION]
    look_at_all(signed_in, "en", paths, axe=axe)
    look_at_all(signed_in, "en", others)
    look_at_all(signed_in, "zh-Hans", paths + others)


OF_SIGN_IN = [
    "2fa/webauthn/",
    "2fa/totp/activate/",
    "2fa/webauthn/add/",
    "sessions/",
    "email/",
    "password/change/",
    "reauthenticate/",
]


def test_pages_of_people_stand(page: Page, tenant: Tenant, axe: Axe) -> None:
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

    paths = [f"/a/{account.pk}/members/", f"/a/{account.pk}/audit/", "/me/", "/accounts/2fa/"]
    others = [f"/a/{account.pk}/{name}" for name in ("invitations/new/", "delete/", "second-factor/")]
    others += [
        f"/a/{account.pk}/members/second-factor/",
        f"/a/{account.pk}/members/{get_owner(tenant).pk}/roles/",
    ]
    others += ["/device/", "/me/delete/", *(f"/accounts/{name}" for name in OF_SIGN_IN)]
    look_at_all(page, "en", paths, axe=axe)
    look_at_all(page, "en", others)
    look_at_all(page, "zh-Hans", paths + others)
