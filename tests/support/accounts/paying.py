"""Accounts that pay, as the tests play them: against a Stripe of their own on the loopback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from django.http import HttpResponse
from django.test import Client, override_settings

from tenancy.billing.checkout import ReturnAddresses, start_checkout
from tenancy.billing.prices import find_price_choice
from tenancy.billing.reread_accounts import read_due_accounts
from tenancy.billing.stripe.customers import find_customer, load_subscription
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account, AuditEvent
from tenancy.models.billing import StripeCustomer, Subscription
from tests.support.accounts.people import browser, get_owner
from tests.support.api_client import Tenant
from tests.support.servers.stripe_ledger import Object
from tests.support.servers.stripe_stand_in import StripeStandIn, signed
from tests.support.waiting import wait_until

WAY = ReturnAddresses("http://localhost/paid", "http://localhost/left")


@contextmanager
def with_stripe() -> Iterator[StripeStandIn]:
    """An installation that collects money."""
    stand_in = StripeStandIn()
    try:
        with override_settings(STRIPE=stand_in.settings):
            yield stand_in
    finally:
        StripeCustomer.objects.filter(customer_id__in=stand_in.books.customers).delete()
        stand_in.close()


def get_account(tenant: Tenant) -> Account:
    return Account.objects.select_related("plan").get(pk=tenant.project.account_id)


def standing(tenant: Tenant) -> Subscription:
    return load_subscription(get_account(tenant))


def checkout(tenant: Tenant, stripe: StripeStandIn, plan: str = "pro", interval: str = "month") -> str:
    """The owner chose a plan and is on Stripe's page: its session's id."""
    address = start_checkout(
        get_account(tenant), find_price_choice(plan, interval), get_owner(tenant), WAY, uuid4()
    )
    return address.rpartition("/")[2]


def deliver(event: Object, **signing: object) -> HttpResponse:
    """As Stripe posts an event to us."""
    body, signature = signed(event, **signing)  # type: ignore[arg-type]
    return browser().post(  # type: ignore[return-value]
        "/stripe/events", body, "application/json", headers={"Stripe-Signature": signature}
    )


def deliver_all(tenant: Tenant, stripe: StripeStandIn) -> None:
    """Every event that was not delivered yet, until what follows from them is stored."""
    while stripe.books.events:
        assert deliver(stripe.books.events.pop(0)).status_code == 200
    wait_until(lambda: is_read(tenant))


def is_read(tenant: Tenant) -> bool:
    """Return whether all that was heard of the account has been read."""
    customer = find_customer(get_account(tenant))
    return customer is None or not customer.last_event_id


def subscribe(tenant: Tenant, stripe: StripeStandIn, plan: str = "pro", interval: str = "month") -> Object:
    """A paid plan, bought and confirmed."""
    sold = stripe.books.pay(checkout(tenant, stripe, plan, interval))
    deliver_all(tenant, stripe)
    return sold


def read_now(tenant: Tenant) -> None:
    """What the clock does, for this account, without the waiting."""
    StripeCustomer.objects.filter(account=get_account(tenant)).update(due_at="2020-01-01T00:00Z")
    read_due_accounts()


def list_audit(tenant: Tenant) -> list[tuple[str, str, str]]:
    """Who did what about the account's money, the oldest first: the kind of the actor, its label, the action."""
    account = get_account(tenant)
    with tenant_scope(account):
        rows = AuditEvent.objects.within(account).order_by("number")
        about_money = rows.filter(action__regex=r"^(billing\.|plan\.|account\.plan)")
        return list(about_money.values_list("actor_kind", "actor_label", "action"))


def place(tenant: Tenant, rest: str = "") -> str:
    """The address of the page of an account's payment, or of an action on it."""
    return f"/a/{tenant.project.account_id}/billing/{rest}"


def words(answer: HttpResponse) -> str:
    """What a person reads of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split()).replace("&#x27;", "'")


def hidden(answer: HttpResponse, name: str) -> str:
    """What a form carries unseen."""
    match = re.search(rf'name="{name}" value="([^"]+)"', answer.content.decode())
    assert match, f"no {name} in the form"
    return match[1]


def look(client: Client, tenant: Tenant, rest: str = "") -> str:
    answer = client.get(place(tenant, rest))
    assert answer.status_code == 200
    return words(answer)
