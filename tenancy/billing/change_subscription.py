"""Change, cancel or resume a subscription. Stripe confirms the result by an event."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import stripe

from tenancy.audit.log import record_event
from tenancy.billing.prices import PriceChoice
from tenancy.billing.stripe.customers import (
    await_change,
    find_customer,
    load_subscription,
    require_paid_subscription,
)
from tenancy.billing.stripe.failures import (
    PaymentOpen,
    PaymentsUnavailable,
    PreviewOutdated,
    SubscriptionEnds,
)
from tenancy.billing.stripe.gateway import GONE_ALREADY, is_configured, open_stripe
from tenancy.billing.stripe.read_state import get_database_time
from tenancy.billing.values import OVER, PAID
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, AuditEvent, User
from tenancy.models.billing import StripeCustomer, Subscription

# A preview is to the second: what is paid is what was shown, unless that is long ago.
PREVIEW_SECONDS = 3_600
CLOCKS_DIFFER_SECONDS = 60
CHANGE_ASKED = "billing.change_asked"


@dataclass(frozen=True, slots=True)
class Preview:
    """Costs of a plan change at a time: `due` is paid at once, `credit` is kept for later invoices."""

    at: int
    due: int
    credit: int
    currency: str
    lines: list[tuple[str, int]]


def preview_change(account: Account, choice: PriceChoice) -> Preview:
    """Ask Stripe for the costs without changing anything. Raises like `change_plan`, except for an old preview."""
    _, row = _require_renewing_subscription(account)
    at = int(time.time())
    with open_stripe() as client:
        invoice = client.v1.invoices.create_preview(
            {
                "subscription": row.subscription_id,
                "subscription_details": {
                    "items": [{"id": row.item_id, "price": choice.price_id}],
                    "proration_behavior": "always_invoice",
                    "proration_date": at,
                },
            }
        ).to_dict()
    lines = [(line.get("description") or "", line["amount"]) for line in invoice["lines"]["data"]]
    return Preview(at, invoice["amount_due"], max(0, -invoice["total"]), invoice["currency"], lines)


def change_plan(account: Account, choice: PriceChoice, previewed_at: int, owner: User) -> None:
    """Charges what the preview of that moment said. A payment that fails, or that the bank wants confirmed, leaves the
    plan as it is until it is made.

    Raises `NothingPaid`, `SubscriptionEnds`, `PaymentOpen`, `PreviewOutdated`, and like `open_stripe`.
    """
    customer, row = _require_renewing_subscription(account)
    if not -CLOCKS_DIFFER_SECONDS <= time.time() - previewed_at <= PREVIEW_SECONDS:
        raise PreviewOutdated
    asked_at, key = get_database_time(), f"change:{row.subscription_id}:{choice.price_id}:{previewed_at}"
    with open_stripe() as client:
        _refuse_unpaid(client, row)
        client.v1.subscriptions.update(
            row.subscription_id,
            {
                "items": [{"id": row.item_id, "price": choice.price_id}],
                "proration_behavior": "always_invoice",
                "proration_date": previewed_at,
                "payment_behavior": "pending_if_incomplete",
            },
            {"idempotency_key": key},
        )
    before = {"plan": row.gives_id, "interval": row.interval}
    after = {"plan": choice.plan.code, "interval": choice.interval}
    _record_change_request(
        customer, owner, CHANGE_ASKED, asked_at, {"before": before, "after": after, "request": key}
    )


def cancel_subscription(account: Account, owner: User) -> None:
    """Cancel at the end of the paid period. Raises `NothingPaid`, and like `open_stripe`."""
    customer, row = require_paid_subscription(account)
    asked_at = get_database_time()
    with open_stripe() as client:
        client.v1.subscriptions.update(row.subscription_id, {"cancel_at_period_end": True})
    _record_change_request(customer, owner, "billing.cancel_asked", asked_at, {"plan": row.gives_id})


def resume_subscription(account: Account, owner: User) -> None:
    """Undo a cancellation before it takes effect. Raises `NothingPaid`, and like `open_stripe`."""
    customer, row = require_paid_subscription(account)
    asked_at = get_database_time()
    with open_stripe() as client:
        now = client.v1.subscriptions.retrieve(row.subscription_id)
        if now.cancel_at_period_end:
            client.v1.subscriptions.update(row.subscription_id, {"cancel_at_period_end": False})
        else:
            client.v1.subscriptions.update(row.subscription_id, {"cancel_at": ""})
    _record_change_request(customer, owner, "billing.resume_asked", asked_at, {"plan": row.gives_id})


def delete_customer(account: Account) -> StripeCustomer | None:
    """Delete the customer at Stripe before its account is deleted: no more charges, and the card is removed there.
    Returns who was the account's customer.

    Raises like `open_stripe`, so that no account goes while its subscription stays.
    """
    customer = find_customer(account)
    if customer is None or (not is_configured() and load_subscription(account).state in OVER):
        return customer
    if not is_configured():
        raise PaymentsUnavailable
    with open_stripe() as client:
        try:
            client.v1.customers.delete(customer.customer_id)
        except stripe.InvalidRequestError as refusal:
            if refusal.code != GONE_ALREADY:
                raise
    return customer


def _require_renewing_subscription(account: Account) -> tuple[StripeCustomer, Subscription]:
    customer, row = require_paid_subscription(account)
    if row.cancels_at is not None and row.state not in OVER:
        raise SubscriptionEnds
    if row.state not in PAID:
        raise PaymentOpen
    return customer, row


def _refuse_unpaid(client: stripe.StripeClient, row: Subscription) -> None:
    """Refuse while an invoice is open: Stripe credits the rest of a period whether it was paid or not."""
    if client.v1.subscriptions.retrieve(row.subscription_id).status not in PAID:
        raise PaymentOpen


def _record_change_request(
    customer: StripeCustomer, owner: User, action: str, asked_at: Any, detail: dict[str, Any]
) -> None:
    account = customer.account
    with tenant_scope(Scope.of_account(account)):
        StripeCustomer.objects.select_for_update().filter(pk=customer.pk).first()
        if "request" in detail and _is_known(account, detail["request"]):
            return  # Stripe changed nothing again
        await_change(customer, asked_at)
        record_event(account, owner, action, account, detail=detail)


def _is_known(account: Account, request: str) -> bool:
    """Return whether the same form was sent before. Under the customer's lock, because both may arrive at once."""
    asked = AuditEvent.objects.within(account).filter(action=CHANGE_ASKED)
    return bool(asked.filter(detail__request=request).exists())
