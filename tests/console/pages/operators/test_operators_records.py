"""Operators: rows that Django's admin shows and changes, each change told to the accounts that it concerns."""

from __future__ import annotations

from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission

from tenancy.audit.request_context import OPERATOR, act_as
from tenancy.billing.applications import apply_for_plan, refuse_application
from tenancy.keys.keys import create_key
from tenancy.keys.lifetime import is_live
from tenancy.models import ApiKey, Plan
from tests.support.accounts.people import get_owner, sign_in
from tests.support.api_client import Api, Tenant
from tests.support.console.operators import (
    done_by_operators,
    new_operator,
    operator_client,
    signed_in_long_ago,
    superuser,
)
from tests.support.expect import refused

PERSON = ("tenancy.view_user", "tenancy.change_user")


def test_a_person_is_locked_out_and_their_accounts_are_told(tenant: Tenant) -> None:
    owner = get_owner(tenant)
    theirs = sign_in(owner)
    operator = operator_client(*PERSON)

    answer = operator.post(f"/admin/tenancy/user/{owner.pk}/change/", {})

    (entry,) = done_by_operators(tenant.project.account)
    assert answer.status_code == 302
    assert (entry.action, entry.object_id) == ("login.changed", str(owner.pk))
    assert (entry.detail["before"], entry.detail["after"]) == ({"is_active": True}, {"is_active": False})
    assert theirs.get("/me/").status_code == 302


def test_saving_without_a_change_tells_nobody(tenant: Tenant) -> None:
    owner = get_owner(tenant)

    operator_client(*PERSON).post(f"/admin/tenancy/user/{owner.pk}/change/", {"is_active": "on"})

    assert done_by_operators(tenant.project.account) == []


def test_nobody_gives_themselves_rights_or_takes_somebody_elses_login(tenant: Tenant) -> None:
    operator, owner = new_operator(*PERSON), get_owner(tenant)
    client = sign_in(operator)
    wanted = {"is_active": "on", "is_staff": "on", "is_superuser": "on", "email": "mine@example.org"}

    client.post(f"/admin/tenancy/user/{owner.pk}/change/", {**wanted, "password": "mine"})
    mine = client.post(f"/admin/tenancy/user/{operator.pk}/change/", wanted)
    password = client.get(f"/admin/tenancy/user/{owner.pk}/password/")

    owner.refresh_from_db()
    operator.refresh_from_db()
    assert (owner.is_staff, owner.is_superuser, owner.email) == (False, False, tenant.email)
    assert owner.check_password(tenant.password)
    assert mine.status_code == 403
    assert not operator.is_superuser
    assert password.status_code != 200


def test_rights_that_a_superuser_gives_are_told_by_name(tenant: Tenant) -> None:
    owner, group = get_owner(tenant), Group.objects.create(name=f"Support {tenant.project_id}")
    client = sign_in(superuser())

    client.post(
        f"/admin/tenancy/user/{owner.pk}/change/", {"is_active": "on", "is_staff": "on", "groups": [group.pk]}
    )

    (entry,) = done_by_operators(tenant.project.account)
    assert entry.detail["before"] == {"is_staff": False, "groups": []}
    assert entry.detail["after"] == {"is_staff": True, "groups": [group.name]}


def test_nobody_but_a_superuser_changes_what_a_group_may(tenant: Tenant) -> None:
    name = f"Support {tenant.project_id}"
    group = Group.objects.create(name=name)
    client = operator_client("auth.view_group", "auth.add_group", "auth.change_group", "auth.delete_group")
    path, body = (
        f"/admin/auth/group/{group.pk}/",
        {"name": name, "permissions": [Permission.objects.first().pk]},
    )

    seen = client.get(f"{path}change/").status_code
    sent = [client.post(at, body).status_code for at in (f"{path}change/", f"{path}delete/")]
    sent.append(client.post("/admin/auth/group/add/", {**body, "name": f"{name} 2"}).status_code)
    given = sign_in(superuser()).post(f"{path}change/", body).status_code

    assert (seen, sent, given) == (200, [403] * 3, 302)
    assert group.permissions.count() == 1
    assert list(Group.objects.filter(name__startswith=name)) == [group]


@pytest.mark.parametrize("app", ["tenancy/user", "auth/group"])
def test_rights_are_not_changed_by_anyone_who_signed_in_long_ago(tenant: Tenant, app: str) -> None:
    group = Group.objects.create(name=f"Support {tenant.project_id}")
    key = group.pk if app == "auth/group" else get_owner(tenant).pk

    answer = signed_in_long_ago(sign_in(superuser())).post(f"/admin/{app}/{key}/change/", {"name": "x"})

    assert answer.headers["Location"].startswith("/accounts/reauthenticate/")
    assert get_owner(tenant).is_active
    assert Group.objects.get(pk=group.pk).name == group.name


def test_a_second_factor_of_staff_is_removed_by_superusers_alone() -> None:
    factor = Authenticator.objects.get(user=superuser(), type="totp")
    operator = operator_client("mfa.view_authenticator", "mfa.delete_authenticator")
    path = f"/admin/mfa/authenticator/{factor.pk}/delete/"

    refused_to = operator.post(path, {"post": "yes"}).status_code
    is_there = Authenticator.objects.filter(pk=factor.pk).exists()
    sign_in(superuser()).post(path, {"post": "yes"})

    assert (refused_to, is_there) == (403, True)
    assert not Authenticator.objects.filter(pk=factor.pk).exists()


def test_a_plan_keeps_its_code() -> None:
    client = sign_in(superuser())
    plan = Plan.objects.create(
        code=f"code-{uuid4()}",
        name="Special",
        rank=98,
        knowledge_bases=1,
        knowledge_base_gigabytes=1,
        requests_per_second=10,
    )

    client.post(
        f"/admin/tenancy/plan/{plan.pk}/change/", as_form(plan) | {"code": f"{plan.pk}-2", "rank": "97"}
    )

    assert [(row.pk, row.rank) for row in Plan.objects.filter(code__startswith=plan.pk)] == [(plan.pk, 97)]


def test_no_more_keys_are_revoked_at_once_than_a_page_shows(tenant: Tenant) -> None:
    owner = get_owner(tenant)
    keys = [
        tenant.project.api_keys.create(
            name=str(number),
            account_id=tenant.project.account_id,
            created_by=owner,
            public_id="mpg-many",
            last_four="many",
            digest=uuid4().bytes * 2,
        ).pk
        for number in range(51)
    ]
    operator = operator_client("tenancy.view_apikey", "tenancy.change_apikey")
    body = {"action": "revoke", "_selected_action": keys[:1], "select_across": "1"}

    page = operator.post("/admin/tenancy/apikey/?q=mpg-many", body, follow=True).content.decode()

    assert "Choose at most 50 at once." in page
    assert not tenant.project.api_keys.exclude(revoked_at=None).exists()


def test_an_application_that_was_decided_meanwhile_leaves_the_others_decided(
    tenant: Tenant, stranger: Tenant
) -> None:
    pro = Plan.objects.get(pk="pro")
    first, second = (
        apply_for_plan(applicant.project.account, pro, get_owner(applicant))
        for applicant in (tenant, stranger)
    )
    with act_as(OPERATOR, "7"):
        refuse_application(first)
    operator = operator_client("tenancy.view_planapplication", "tenancy.change_planapplication")
    body = {"action": "grant", "_selected_action": [first.pk, second.pk]}

    page = operator.post("/admin/tenancy/planapplication/", body, follow=True).content.decode()

    plans = {
        applicant.project.account_id: Plan.objects.get(account=applicant.project.account).pk
        for applicant in (tenant, stranger)
    }
    assert "1 application is decided." in page
    assert "1 could not be decided" in page
    assert plans == {tenant.project.account_id: "enterprise", stranger.project.account_id: "pro"}


def test_a_key_is_revoked_at_once_and_written_down(tenant: Tenant, api: Api) -> None:
    key = ApiKey.objects.get(project=tenant.project)
    other = create_key(tenant.project, "other", created_by=get_owner(tenant)).key
    operator = operator_client("tenancy.view_apikey", "tenancy.change_apikey")

    operator.post("/admin/tenancy/apikey/", {"action": "revoke", "_selected_action": [key.pk]})
    operator.post("/admin/tenancy/apikey/", {"action": "revoke", "_selected_action": [key.pk]})

    (entry,) = done_by_operators(tenant.project.account)
    assert (entry.action, entry.object_id, entry.project_id) == (
        "key.revoked",
        str(key.pk),
        tenant.project.pk,
    )
    other.refresh_from_db()
    assert is_live(other)
    refused(api.call("search/memory", {"user_id": "kim", "query": "x"}), 40132, status=401)


def test_a_lost_second_factor_is_removed_and_its_secret_never_shown(tenant: Tenant) -> None:
    owner = get_owner(tenant)
    factor = Authenticator.objects.create(user=owner, type="totp", data={"secret": "canary-of-the-secret"})
    operator = operator_client("mfa.view_authenticator", "mfa.delete_authenticator")

    pages = [operator.get(f"/admin/mfa/authenticator/{part}") for part in ("", f"{factor.pk}/change/")]
    operator.post(f"/admin/mfa/authenticator/{factor.pk}/delete/", {"post": "yes"})

    (entry,) = done_by_operators(tenant.project.account)
    assert [page.status_code for page in pages] == [200, 200]
    assert not any(b"canary" in page.content for page in pages)
    assert (entry.action, entry.detail["factor"]) == ("login.factor_removed", "totp")
    assert not Authenticator.objects.filter(pk=factor.pk).exists()


def test_what_belongs_to_no_account_is_in_the_admins_own_history() -> None:
    user = superuser()
    client = sign_in(user)
    plan = Plan.objects.create(
        code=f"plan-{user.pk}",
        name="Special",
        rank=99,
        knowledge_bases=1,
        knowledge_base_gigabytes=1,
        requests_per_second=10,
    )
    page = client.get(f"/admin/tenancy/plan/{plan.pk}/change/")

    client.post(f"/admin/tenancy/plan/{plan.pk}/change/", as_form(plan) | {"knowledge_bases": "7"})

    plan.refresh_from_db()
    assert page.status_code == 200
    assert plan.knowledge_bases == 7
    assert LogEntry.objects.filter(user=user, object_id=str(plan.pk)).count() == 1


def as_form(plan: Plan) -> dict[str, str]:
    values = {field.name: getattr(plan, field.name) for field in Plan._meta.fields}
    return {name: str(value) for name, value in values.items() if value not in (None, False)}


@pytest.mark.parametrize("model", [EmailAddress])
def test_forms_with_which_an_operator_could_sign_in_as_somebody_else_are_not_there(model: type) -> None:
    names = {model_class.__name__ for model_class in site._registry}

    assert not site.is_registered(model)
    assert not names & {"EmailConfirmation", "SocialAccount", "SocialApp", "SocialToken", "UserSession"}


@pytest.mark.parametrize("model", ["project", "apikey", "operatorvisit"])
def test_what_is_only_looked_at_can_be_neither_added_nor_deleted(model: str) -> None:
    client = sign_in(superuser())

    assert client.get(f"/admin/tenancy/{model}/add/").status_code == 403
    assert client.get(f"/admin/tenancy/{model}/").status_code == 200
