"""What others are at in the moment in which an account is ordered to go."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from console.data.erasure.delete_account import delete_account
from memories.jobs import outbox
from tenancy.billing.stripe.customers import find_customer
from tenancy.billing.stripe.failures import PaymentUnderway
from tenancy.errors import InvalidParameters, NotFound
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, Invitation, Membership
from tenancy.models.billing import StripeCustomer
from tenancy.people.invitations import accept_invitation, invite_member
from tests.support.accounts.paying import checkout
from tests.support.accounts.people import get_owner, new_person, sign_in
from tests.support.api_client import Tenant
from tests.support.servers.stripe_stand_in import StripeStandIn
from tests.support.waiting import LIMIT, wait_until_somebody_waits


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker takes the account while a test looks at it."""
    monkeypatch.setattr(outbox._announcer, "notify", lambda *_: None)


@pytest.fixture
def account(tenant: Tenant) -> Account:
    return tenant.project.account


def begin(hands: ThreadPoolExecutor, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Until it waits for what this thread has locked."""

    def run() -> Any:
        try:
            return work(*arguments)
        finally:
            connections.close_all()

    begun = hands.submit(run)
    wait_until_somebody_waits()
    return begun


def lock(account: Account) -> Account:
    return Account.objects.select_for_update(no_key=True).get(pk=account.pk)


def test_who_accepts_an_invitation_at_that_moment_is_no_member_of_what_goes(
    account: Account, tenant: Tenant
) -> None:
    invitation = invite_member(account, "friend@example.org", "admin", get_owner(tenant)).invitation

    with ThreadPoolExecutor(1) as hands:
        with tenant_scope(account):
            accept_invitation(invitation, new_person())
            deleted = begin(hands, delete_account, account, get_owner(tenant))
        deleted.result(LIMIT)

    assert not Membership.objects.filter(account=account).exists()
    assert not Invitation.objects.filter(account=account).exists()


def test_nobody_is_invited_to_an_account_that_goes(account: Account, tenant: Tenant) -> None:
    owner = get_owner(tenant)
    delete_account(account, owner)

    with pytest.raises(InvalidParameters, match="being deleted"):
        invite_member(account, "friend@example.org", "admin", owner)


def test_a_click_on_an_invitation_that_went_meanwhile_is_answered_like_one_to_nothing(
    account: Account, tenant: Tenant
) -> None:
    friend = new_person("late@example.org")
    sent = invite_member(account, friend.email, "admin", get_owner(tenant))

    browser = sign_in(friend)
    with ThreadPoolExecutor(1) as hands:
        with tenant_scope(account):
            Invitation.objects.filter(pk=sent.invitation.pk).delete()
            clicked = begin(hands, browser.post, f"/invite/{sent.token}/")
        answer = clicked.result(LIMIT)

    assert answer.status_code == 404


def test_an_account_in_which_a_customer_was_made_meanwhile_stays_until_asked_again(
    account: Account, tenant: Tenant, stripe: StripeStandIn
) -> None:
    owner = get_owner(tenant)
    with ThreadPoolExecutor(1) as hands:
        with tenant_scope(account):
            lock(account)
            deleted = begin(hands, delete_account, account, owner)
            StripeCustomer.objects.create(account=account, customer_id="cus_of_another_tab")
        with pytest.raises(PaymentUnderway):
            deleted.result(LIMIT)

    assert Account.objects.get(pk=account.pk).deleting_at is None
    assert Membership.objects.filter(account=account).exists()
    StripeCustomer.objects.filter(account=account).delete()


def test_nobody_pays_for_an_account_that_went_while_the_page_for_payment_was_made(
    account: Account, tenant: Tenant, stripe: StripeStandIn
) -> None:
    Account.objects.filter(pk=account.pk).update(plan="free")
    with ThreadPoolExecutor(1) as hands:
        with tenant_scope(account):
            lock(account)
            bought = begin(hands, checkout, tenant, stripe)
            Account.objects.filter(pk=account.pk).update(deleting_at=timezone.now())
        with pytest.raises(NotFound):
            bought.result(LIMIT)

    assert {session["status"] for session in stripe.books.sessions.values()} == {"expired"}
    customer = find_customer(account)
    assert customer is not None
    assert stripe.books.customers[customer.customer_id].get("deleted")
