"""Invitations: by address, with a role, for a time; each link works once and for one person."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection, connections, transaction
from django.test import override_settings
from django.utils import timezone

from console.embedded.folder import DataFolder
from console.embedded.services.postgres import Postgres
from console.embedded.stack import Stack
from tenancy.errors import InvitationClosed
from tenancy.models import Invitation, Membership, Role, User
from tenancy.people.invitations import accept_invitation, find_invitation, invite_member, revoke_invitation
from tenancy.tasks import clear_invitations_task
from tests.support.accounts.people import (
    add_member,
    browser,
    get_owner,
    link_on,
    new_person,
    sign_in,
    sign_in_owner,
)
from tests.support.api_client import Tenant
from tests.support.knowledge.search_everything import find_places

# Too long a name in the letters that mail servers take.
UNMAILABLE = f"x@{'ü' * 60}.de"


def invited(tenant: Tenant, email: str, role: str = "developer") -> str:
    """What an owner does; the path of the link."""
    account = tenant.project.account_id
    wanted = {"emails": email, "role": role, "days": "7"}
    answer = sign_in_owner(tenant).post(f"/a/{account}/invitations/new/", wanted)
    assert answer.status_code == 200
    return link_on(answer.content)


def test_people_are_found_by_their_address_in_any_case_by_an_index() -> None:
    named = User.objects.filter(email__iexact="Kim@Example.org")

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # of few people, reading all is quicker
        assert "user_by_email_in_any_case" in named.explain()


def test_an_invited_person_joins_with_the_role_they_were_invited_as(tenant: Tenant) -> None:
    person = new_person()
    link = invited(tenant, person.email.upper(), "viewer")
    theirs = sign_in(person)

    assert b"Accept the invitation" in theirs.get(link).content
    answer = theirs.post(link)

    assert answer.status_code == 302
    membership = Membership.objects.get(user=person)
    assert (membership.account_id, membership.role) == (tenant.project.account_id, Role.VIEWER)
    assert theirs.get(f"/p/{tenant.project_id}/memories/").status_code == 200


def test_a_newcomer_signs_up_through_the_link_and_gets_no_account_of_their_own(tenant: Tenant) -> None:
    email = f"new-{timezone.now().timestamp()}@example.org"
    link = invited(tenant, email)
    theirs = browser()
    assert b"Create your login" in theirs.get(link).content

    form = {"email": email, "password1": "a long enough passphrase", "next": link}
    answer = theirs.post("/accounts/signup/", form)
    assert (answer.status_code, answer.headers["Location"]) == (302, link)
    theirs.post(link)
    home = theirs.get("/home/")

    assert home.headers["Location"] == f"/p/{tenant.project_id}/quickstart/"
    assert Membership.objects.get(user__email=email).role == Role.DEVELOPER


def test_a_link_works_once(tenant: Tenant) -> None:
    person = new_person()
    link = invited(tenant, person.email)
    theirs = sign_in(person)
    theirs.post(link)

    again, anonymous = theirs.get(link), browser().get(link)

    assert b"You are a member already" in again.content
    assert (anonymous.status_code, b"was used" in anonymous.content) == (410, True)
    assert Membership.objects.filter(user=person).count() == 1


def test_an_expired_invitation_is_explained_and_lets_nobody_in(tenant: Tenant) -> None:
    person = new_person()
    link = invited(tenant, person.email)
    Invitation.objects.filter(email=person.email).update(expires_at=timezone.now() - timedelta(seconds=1))
    theirs = sign_in(person)

    shown, tried = theirs.get(link), theirs.post(link)

    assert (shown.status_code, b"has expired" in shown.content) == (410, True)
    assert tried.status_code == 410
    assert not Membership.objects.filter(user=person).exists()


def test_a_revoked_invitation_is_explained_and_lets_nobody_in(tenant: Tenant) -> None:
    person = new_person()
    link = invited(tenant, person.email)
    invitation = Invitation.objects.get(email=person.email)
    account = tenant.project.account_id
    sign_in_owner(tenant).post(f"/a/{account}/invitations/{invitation.pk}/revoke/")
    theirs = sign_in(person)

    tried = theirs.post(link)

    assert (tried.status_code, b"was revoked" in tried.content) == (410, True)
    assert not Membership.objects.filter(user=person).exists()


def test_another_address_cannot_accept_and_is_told_why(tenant: Tenant) -> None:
    link = invited(tenant, "ana@example.org")
    somebody = new_person()
    theirs = sign_in(somebody)

    tried = theirs.post(link)

    assert tried.status_code == 403
    assert b"for another address" in tried.content
    assert b"ana@example.org" in tried.content
    assert not Membership.objects.filter(user=somebody).exists()


def test_an_invitation_sent_again_leaves_the_first_link_behind(tenant: Tenant) -> None:
    person = new_person()
    first = invited(tenant, person.email)
    invitation = Invitation.objects.get(email=person.email)
    account = tenant.project.account_id

    answer = sign_in_owner(tenant).post(f"/a/{account}/invitations/{invitation.pk}/again/")
    second = link_on(answer.content)
    theirs = sign_in(person)

    assert theirs.post(first).status_code == 404
    assert theirs.post(second).status_code == 302


@pytest.mark.parametrize("token", ["made-up", "x" * 43, "é" * 9, "%00"])
def test_a_made_up_link_is_explained(token: str) -> None:
    answer = browser().get(f"/invite/{token}/")

    assert answer.status_code == 404
    assert b"This link is not valid" in answer.content


def test_nobody_is_invited_twice_and_no_member_is(tenant: Tenant) -> None:
    owner = sign_in_owner(tenant)
    account = tenant.project.account_id
    member = add_member(tenant.project.account, Role.VIEWER)
    invited(tenant, "bo@example.org")

    for email, reason in [
        ("Bo@Example.org", "invited already"),
        (member.email, "a member already"),
        ("nonsense", "not an e-mail address"),
    ]:
        wanted = {"emails": email, "role": "viewer", "days": "7"}
        answer = owner.post(f"/a/{account}/invitations/new/", wanted)
        assert answer.status_code == 422
        assert reason in answer.content.decode()


@pytest.mark.parametrize(
    ("has_mail", "words"), [(True, "1 invitation was sent."), (False, "1 invitation was created.")]
)
def test_only_an_invitation_that_was_mailed_is_called_sent(
    tenant: Tenant, has_mail: bool, words: str
) -> None:
    wanted = {"emails": "kim@example.org", "role": "developer", "days": "7"}
    backend = "django.core.mail.backends.locmem.EmailBackend"

    with override_settings(HAS_MAIL=has_mail, EMAIL_BACKEND=backend):
        answer = sign_in_owner(tenant).post(
            f"/a/{tenant.project.account_id}/invitations/new/", wanted, HTTP_HX_REQUEST="true"
        )

    assert words in answer["HX-Trigger"]
    assert (b"No e-mail was sent" in answer.content) is not has_mail


def test_an_address_that_no_mail_can_name_is_not_invited(tenant: Tenant) -> None:
    wanted = {"emails": f"kim@example.org {UNMAILABLE}", "role": "developer", "days": "7"}

    answer = sign_in_owner(tenant).post(f"/a/{tenant.project.account_id}/invitations/new/", wanted)

    assert answer.status_code == 422
    assert f"“{UNMAILABLE}” is not an e-mail address" in answer.content.decode()
    assert not Invitation.objects.filter(account=tenant.project.account).exists()


@override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend", HAS_MAIL=True)
def test_of_an_invitation_that_cannot_be_mailed_the_link_is_shown(tenant: Tenant) -> None:
    """One to such an address, from a release that let it in."""
    invitation = invite_member(
        tenant.project.account, "kim@example.org", "developer", get_owner(tenant)
    ).invitation
    Invitation.objects.filter(pk=invitation.pk).update(email=UNMAILABLE)
    mail.outbox = []

    path = f"/a/{tenant.project.account_id}/invitations/{invitation.pk}/again/"
    answer = sign_in_owner(tenant).post(path)

    assert answer.status_code == 200
    assert browser().get(link_on(answer.content)).status_code == 200
    assert mail.outbox == []


def test_an_admin_invites_nobody_as_an_owner(tenant: Tenant) -> None:
    admin = sign_in(add_member(tenant.project.account, Role.ADMIN))
    wanted = {"emails": "eve@example.org", "role": "owner", "days": "7"}

    answer = admin.post(f"/a/{tenant.project.account_id}/invitations/new/", wanted)

    assert answer.status_code == 422
    assert not Invitation.objects.filter(email="eve@example.org").exists()


def test_a_token_is_nowhere_in_the_database(stack: Stack, tenant: Tenant) -> None:
    token = invited(tenant, f"cy-{timezone.now().timestamp()}@example.org").strip("/").split("/")[1]

    assert find_places(Postgres(DataFolder(stack.path)).admin_url, token) == []
    assert find_invitation(token) is not None


def test_a_login_that_is_deleted_leaves_no_address_in_closed_invitations(
    tenant: Tenant, stranger: Tenant
) -> None:
    person = new_person()
    theirs = sign_in(person)
    theirs.post(invited(tenant, person.email))
    revoked = invite_member(stranger.project.account, person.email, Role.VIEWER, get_owner(stranger))
    revoke_invitation(revoked.invitation, get_owner(stranger))
    assert Invitation.objects.filter(email=person.email).count() == 2

    theirs.post("/me/delete/", {"typed": person.email})

    assert not User.objects.filter(pk=person.pk).exists()
    assert not Invitation.objects.filter(email=person.email).exists()


def test_invitations_are_deleted_90_days_after_they_were_closed(tenant: Tenant) -> None:
    account, owner, now = tenant.project.account, get_owner(tenant), timezone.now()
    names = ("open", "late", "old")
    sent = {name: invite_member(account, f"{name}@example.org", Role.VIEWER, owner) for name in names}
    for name, days in {"late": 89, "old": 91}.items():
        past = Invitation.objects.filter(pk=sent[name].invitation.pk)
        past.update(expires_at=now - timedelta(days=days))

    clear_invitations_task()

    left = Invitation.objects.filter(account=account).values_list("email", flat=True)
    assert set(left) == {"open@example.org", "late@example.org"}


def test_two_who_open_a_link_at_once_make_one_member(tenant: Tenant) -> None:
    person = new_person()
    sent = invite_member(tenant.project.account, person.email, Role.DEVELOPER, get_owner(tenant))

    def try_it(_: int) -> bool:
        try:
            accept_invitation(sent.invitation, person)
        except InvitationClosed:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(8) as threads:
        accepted = sum(threads.map(try_it, range(8)))

    assert accepted == 1
    assert Membership.objects.filter(user=person).count() == 1
