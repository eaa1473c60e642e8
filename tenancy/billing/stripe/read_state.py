"""Read the state of an account from Stripe: the only module that knows the shape of Stripe's objects."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

import stripe
from django.db import connection

from tenancy.billing.stripe.failures import BillingRefused
from tenancy.billing.stripe.gateway import open_stripe
from tenancy.billing.values import (
    GIVING,
    OVER,
    AccountReading,
    StripeCard,
    StripeInvoice,
    StripeSubscription,
    UpcomingInvoice,
)

log = logging.getLogger(__name__)

MOST_BILLS = 24
NOTHING_TO_COME = "invoice_upcoming_none"


def read_account(customer_id: str) -> AccountReading:
    """Read all objects of a customer. Several requests; the result counts as old as the first of them.

    Raises like `open_stripe`; an answer that is not understood counts as a refusal.
    """
    began = get_database_time()
    try:
        return _read_account(customer_id, began)
    except (KeyError, IndexError, TypeError) as error:
        log.error("stripe_not_understood", extra={"fault": type(error).__name__})
        raise BillingRefused from error


def _read_account(customer_id: str, began: datetime) -> AccountReading:
    with open_stripe() as client:
        customer = _fetch_customer(client, customer_id)
        if customer.get("deleted"):
            return AccountReading(began, is_gone=True)
        sold = _fetch_subscription(client, customer_id)
        bills = _fetch_invoices(client, customer_id)
        upcoming = _preview_upcoming_invoice(client, sold) if sold else None
    card = sold.card if sold and sold.card else _read_card(_get_default_payment_method(customer))
    return AccountReading(began, sold, card, _get_tax_id(customer), bills, upcoming)


def get_database_time() -> datetime:
    """The database's clock, which all processes share."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    return now


def _fetch_customer(client: stripe.StripeClient, customer_id: str) -> dict[str, Any]:
    customer = client.v1.customers.retrieve(
        customer_id, {"expand": ["invoice_settings.default_payment_method", "tax_ids"]}
    )
    return customer.to_dict()


def _fetch_subscription(client: stripe.StripeClient, customer_id: str) -> StripeSubscription | None:
    """The subscription that counts: those that give a plan first, then the newest."""
    listed = client.v1.subscriptions.list(
        {"customer": customer_id, "status": "all", "limit": 20, "expand": ["data.default_payment_method"]}
    )
    every = [parse_subscription(subscription.to_dict()) for subscription in listed.data]
    if sum(subscription.state in GIVING for subscription in every) > 1:
        log.error("subscribed_twice", extra={"reason": customer_id})
    return max(
        every,
        key=lambda subscription: (
            subscription.state in GIVING,
            subscription.state not in OVER,
            subscription.created,
        ),
        default=None,
    )


def parse_subscription(subscription: dict[str, Any]) -> StripeSubscription:
    item = subscription["items"]["data"][0]
    period_end = _parse_unix_time(item.get("current_period_end"))
    ends = _parse_unix_time(subscription.get("cancel_at"))
    if ends is None and subscription.get("cancel_at_period_end"):
        ends = period_end
    return StripeSubscription(
        id=subscription["id"],
        item_id=item["id"],
        state=subscription["status"],
        price_id=item["price"]["id"],
        created=subscription["created"],
        period_end=period_end,
        cancels_at=ends,
        has_pending_change=subscription.get("pending_update") is not None,
        card=_read_card(subscription.get("default_payment_method")),
    )


def _fetch_invoices(client: stripe.StripeClient, customer_id: str) -> tuple[StripeInvoice, ...]:
    """The newest invoices, without drafts."""
    listed = client.v1.invoices.list({"customer": customer_id, "limit": MOST_BILLS})
    return tuple(_read_invoice(invoice.to_dict()) for invoice in listed.data if invoice.status != "draft")


def _read_invoice(invoice: dict[str, Any]) -> StripeInvoice:
    return StripeInvoice(
        id=invoice["id"],
        number=invoice.get("number") or "",
        state=invoice.get("status") or "",
        total=invoice["total"],
        remaining=invoice["amount_remaining"],
        currency=invoice["currency"],
        issued_at=datetime.fromtimestamp(invoice["created"], UTC),
    )


def _preview_upcoming_invoice(
    client: stripe.StripeClient, sold: StripeSubscription
) -> UpcomingInvoice | None:
    if sold.state not in GIVING or sold.cancels_at is not None:
        return None
    try:
        invoice = client.v1.invoices.create_preview({"subscription": sold.id}).to_dict()
    except stripe.InvalidRequestError as refusal:
        # What is to come is only shown: for its sake nobody is kept from what was paid.
        if refusal.code != NOTHING_TO_COME:
            log.warning("nothing_upcoming_read", extra={"reason": refusal.code})
        return None
    due = _parse_unix_time(invoice.get("next_payment_attempt")) or sold.period_end
    return UpcomingInvoice(invoice["amount_due"], invoice["currency"], due)


def _get_default_payment_method(customer: dict[str, Any]) -> Any:
    return (customer.get("invoice_settings") or {}).get("default_payment_method")


def _read_card(method: Any) -> StripeCard | None:
    """The default card; None for other payment methods such as direct debit."""
    card = method.get("card") if isinstance(method, dict) else None
    if not card:
        return None
    return StripeCard(card["brand"], card["last4"], f"{card['exp_month']:02}/{card['exp_year']}")


def _get_tax_id(customer: dict[str, Any]) -> str:
    known = (customer.get("tax_ids") or {}).get("data") or []
    return str(known[0]["value"]) if known else ""


def _parse_unix_time(seconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds else None
