"""Buy the first paid plan on Stripe's checkout page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import stripe

from tenancy.audit.log import record_event
from tenancy.billing.apply_stripe_state import get_or_create_subscription
from tenancy.billing.change_subscription import delete_customer
from tenancy.billing.prices import PriceChoice
from tenancy.billing.stripe.customers import get_or_create_customer, load_subscription, schedule_read
from tenancy.billing.stripe.failures import PaidAlready, PaymentUnderway
from tenancy.billing.stripe.gateway import GONE_ALREADY, open_stripe
from tenancy.billing.stripe.read_state import get_database_time
from tenancy.billing.values import OVER
from tenancy.errors import NotFound
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, User
from tenancy.models.billing import StripeCustomer, Subscription

# Stripe leaves a page for payment open for a day; who pays is back in minutes, and an event may be lost.
LOOK_AFTER = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class ReturnAddresses:
    """URLs that Stripe redirects to after payment (or when the user cancels)."""

    paid: str
    left: str


def start_checkout(
    account: Account, choice: PriceChoice, owner: User, way: ReturnAddresses, once: UUID
) -> str:
    """Return the URL of the checkout page. The same `once` gives the same page, however often the form is sent.

    Raises `PaidAlready`, `PaymentUnderway`, `NotFound` where the account is being deleted, and like `open_stripe`.
    """
    row = load_subscription(account)
    if row.state not in OVER:
        raise PaidAlready
    customer = get_or_create_customer(account, owner, once)
    with open_stripe() as client:
        session = _create_checkout_session(client, customer, choice, way, once)
        _expire_checkouts(client, {row.checkout_id} - {session.id})
        try:
            opened_meanwhile = _store_checkout(account, customer, choice, owner, session.id)
        except PaidAlready:
            _expire_checkouts(client, {session.id})
            raise
        except NotFound:
            _expire_checkouts(client, {session.id})
            delete_customer(account)
            raise
        _expire_checkouts(client, {opened_meanwhile} - {session.id, row.checkout_id})
    return session.url or way.left


def _create_checkout_session(
    client: stripe.StripeClient,
    customer: StripeCustomer,
    choice: PriceChoice,
    way: ReturnAddresses,
    once: UUID,
) -> stripe.checkout.Session:
    about = {"account": str(customer.account_id), "plan": choice.plan.code}
    return client.v1.checkout.sessions.create(
        {
            "mode": "subscription",
            "customer": customer.customer_id,
            "customer_update": {"name": "auto", "address": "auto"},
            "tax_id_collection": {"enabled": True},
            "client_reference_id": str(customer.account_id),
            "line_items": [{"price": choice.price_id, "quantity": 1}],
            "subscription_data": {"metadata": about},
            "success_url": way.paid,
            "cancel_url": way.left,
        },
        {"idempotency_key": f"checkout:{customer.account_id}:{once}"},
    )


def _expire_checkouts(client: stripe.StripeClient, checkouts: set[str]) -> None:
    """Expire checkout pages opened before, so that nobody pays twice from two tabs."""
    for checkout_id in checkouts - {""}:
        try:
            before = client.v1.checkout.sessions.retrieve(checkout_id)
        except stripe.InvalidRequestError as refusal:
            if refusal.code != GONE_ALREADY:
                raise
            continue
        if before.status == "complete":
            raise PaymentUnderway
        if before.status == "open":
            client.v1.checkout.sessions.expire(checkout_id)


def _store_checkout(
    account: Account, customer: StripeCustomer, choice: PriceChoice, owner: User, checkout_id: str
) -> str:
    """Store the page and return the one stored before; concurrent requests are serialized."""
    with tenant_scope(Scope.of_account(account)):
        rows = Account.objects.select_for_update(no_key=True)
        if rows.filter(pk=account.pk, deleting_at=None).first() is None:
            raise NotFound("the account is being deleted")
        row: Subscription = get_or_create_subscription(account)
        if row.state not in OVER:
            raise PaidAlready
        before, row.checkout_id = row.checkout_id, checkout_id
        row.save(update_fields=["checkout_id"])
        schedule_read(customer, get_database_time(), LOOK_AFTER)
        if before != checkout_id:
            detail = {"plan": choice.plan.code, "interval": choice.interval}
            record_event(account, owner, "billing.checkout_started", account, detail=detail)
    return before
