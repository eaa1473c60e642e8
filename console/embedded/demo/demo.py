"""A tenant from the command line, in the shape that scripts rely on."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction

from console.configuration import environment
from console.embedded.demo.demo_file import EMAIL, is_whole, list_urls, read, write
from skills.catalogue.write import PATH, NewSkill, create_skill, parse_skill_text
from skills.models.user_rows import get_or_create_person
from skills.packages.files import NewFile
from skills.packages.ownership import SkillOwner
from skills.spaces.spaces import create_space
from skills.values import SkillOrigin
from tenancy.isolation.scoping import tenant_scope
from tenancy.keys.keys import create_key
from tenancy.models import Project, User
from tenancy.people.onboarding import DEFAULT_PROJECT, FIRST_PLAN, OpenedAccount, open_account

EXAMPLE, EXAMPLE_USER = Path(__file__).with_name("demo_skill.md"), "example-user"


class OtherTenant(Exception):
    """The person has an account already, which is not as it was asked for."""


@transaction.atomic
def create_tenant(
    email: str, password: str | None, project: str | None = None, plan: str | None = None
) -> dict[str, str]:
    """A confirmed person with account, project and key; the answer holds both secrets, once.

    Of a person with an account, its project of this name. Raises `OtherTenant` where the account has another plan, or
    no such project.
    """
    password = password or secrets.token_urlsafe(12)
    user = User.objects.filter(email__iexact=email).first()
    if user is None:
        user = User.objects.create_user(email, password)
    else:
        user.set_password(password)
        user.save(update_fields=["password"])
    EmailAddress.objects.get_or_create(
        user=user, email=email.lower(), defaults={"verified": True, "primary": True}
    )
    tenant = open_account(user, project_name=project or DEFAULT_PROJECT, plan=plan or FIRST_PLAN)
    return describe_demo(_choose_project(tenant, project, plan), password)


def _choose_project(tenant: OpenedAccount, name: str | None, plan: str | None) -> OpenedAccount:
    account = tenant.account
    if plan and account.plan_id != plan:
        raise OtherTenant(
            f"{tenant.user.email} has an account with the plan {account.plan_id!r}, not {plan!r}"
        )
    if not name or tenant.project.name == name:
        return tenant
    project = account.projects.here().filter(name=name).first()
    if project is None:
        raise OtherTenant(f"{tenant.user.email} has an account without a project {name!r}")
    return replace(tenant, project=project)


def describe_demo(tenant: OpenedAccount, password: str) -> dict[str, str]:
    return list_urls() | {
        "email": tenant.user.email,
        "password": password,
        "project_id": str(tenant.project.pk),
        "api_key": create_key(tenant.project, "command line", created_by=tenant.user).plaintext,
    }


def ensure_demo(folder: Path) -> dict[str, Any]:
    """The demo tenant of this installation, made at the first start; `demo.json` keeps what cannot be read back."""
    if is_whole(folder) and User.objects.filter(email=EMAIL).exists():
        demo = read(folder) | list_urls()
    else:
        demo = create_tenant(EMAIL, environment.read_text("DEMO_PASSWORD"))
        show_examples(Project.objects.get(pk=demo["project_id"]))
    write(folder, demo)
    return demo


def show_examples(project: Project) -> None:
    """A skill and a learning space of an invented end user, so that their pages show something real from the start.

    No model is asked, which may not be there yet: words alone find the skill until embeddings are made again.
    """
    text = EXAMPLE.read_text(encoding="utf-8")
    with tenant_scope(project):
        owner, person = (
            SkillOwner.of_person(project, EXAMPLE_USER),
            get_or_create_person(project, EXAMPLE_USER),
        )
        files = [NewFile.of_text(PATH, text)]
        create_skill(
            NewSkill(
                owner,
                parse_skill_text(text),
                files,
                SkillOrigin.UPLOADED,
                "upload",
                "uploaded",
                person=person,
            )
        )
    create_space(project, EXAMPLE_USER, {"about": "an example"})
