"""The first minute of a developer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from uuid import uuid4

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError
from django.db import connections
from django.test import override_settings

from console.embedded.stack import Stack
from tenancy.models import Account, ApiKey, Membership, Project, Role, User
from tenancy.people.onboarding import issue_first_key, open_account
from tests.support.api_client import Api
from tests.support.project import PROJECT_ROOT

TOLD = {
    "console_url",
    "api_base_url",
    "acontext_base_url",
    "mcp_url",
    "email",
    "password",
    "project_id",
    "api_key",
}


def create_tenant(stack: Stack, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "create_tenant", *arguments],
        cwd=PROJECT_ROOT,
        env={**os.environ, **stack.environment},
        capture_output=True,
        text=True,
    )


def test_an_operator_makes_a_tenant_with_one_command(stack: Stack) -> None:
    email = f"{uuid4().hex}@example.org"

    result = create_tenant(
        stack,
        "--email",
        email,
        "--password",
        "a long enough one",
        "--project",
        "shop",
        "--plan",
        "pro",
        "--json",
    )

    output = json.loads(result.stdout)
    assert set(output) == TOLD
    assert output["api_base_url"].endswith("/api/openmem/v1")
    assert (output["email"], output["password"]) == (email, "a long enough one")
    member = Membership.objects.get(user__email=email)
    assert (member.role, member.account.plan_id, member.current_project.name) == (Role.OWNER, "pro", "shop")
    assert authenticate(username=email, password="a long enough one") == member.user
    with Api(stack.url, output["api_key"]) as api:
        assert api.data("search/memory", {"user_id": "kim", "query": "anything"})


def test_a_tenant_who_is_there_gets_no_other_plan_or_project_in_silence() -> None:
    email = f"{uuid4().hex}@example.org"

    def create(**options: str) -> str:
        output = StringIO()
        call_command(
            "create_tenant", email=email, password="a long enough one", json=True, stdout=output, **options
        )
        return str(json.loads(output.getvalue())["project_id"])

    first = create()
    shop = Project.objects.create(account=Account.objects.get(members__email=email), name="shop")

    with pytest.raises(
        CommandError, match=r"an account with the plan 'free', not 'pro'\. Nothing was changed"
    ):
        create(plan="pro")
    with pytest.raises(CommandError, match=r"an account without a project 'office'\. Nothing was changed"):
        create(project="office")
    assert create(project="shop", plan="free") == str(shop.pk)
    assert create() == first


def test_a_plan_that_does_not_exist_is_refused_in_words(stack: Stack) -> None:
    result = create_tenant(stack, "--email", f"{uuid4().hex}@example.org", "--plan", "gold", "--json")

    assert result.returncode == 1
    assert "There is no plan 'gold'; there are" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_demo_tenant_is_in_its_file(stack: Stack) -> None:
    file = stack.path / "demo.json"

    assert set(stack.demo) == TOLD
    assert file.stat().st_mode & 0o777 == 0o600
    with Api(stack.url, stack.demo["api_key"]) as api:
        assert api.data("search/memory", {"user_id": "kim", "query": "anything"}) is not None


@pytest.fixture
def newcomer(stack: Stack) -> User:
    return User.objects.create_user(f"{uuid4().hex}@example.org", "a long enough one")


def test_two_tabs_at_the_first_sign_in_make_one_account(newcomer: User) -> None:
    def sign_in(_: int) -> str:
        try:
            tenant = open_account(User.objects.get(pk=newcomer.pk))
            key = issue_first_key(tenant)
            return key.plaintext if key else ""
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as tabs:
        shown = [plaintext for plaintext in tabs.map(sign_in, range(4)) if plaintext]

    account = Account.objects.get(members=newcomer)
    assert account.projects.count() == 1
    assert ApiKey.objects.filter(account=account).count() == len(shown) == 1


def test_who_comes_again_finds_what_they_left(newcomer: User) -> None:
    first = open_account(newcomer)

    assert open_account(newcomer) == first
    assert first.project.name == "default"
    assert first.account.plan_id == "free"


@override_settings(KEY_PEPPERS=[])
def test_no_key_is_made_where_it_would_be_hashed_without_a_pepper() -> None:
    with pytest.raises(SystemCheckError, match="KEY_PEPPERS is not set"):
        call_command("create_tenant", email=f"{uuid4().hex}@example.org", skip_checks=False)
