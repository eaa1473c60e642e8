"""Store the state of an account that was read from Stripe, and assign the plan that follows from it."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from django.db import transaction

from tenancy.audit.log import record_event
from tenancy.audit.request_context import STRIPE, act_as
from tenancy.billing.prices import find_price_plan
from tenancy.billing.values import (
    GIVING,
    AccountReading,
    StripeCard,
    StripeInvoice,
    StripeSubscription,
    SubscriptionState,
    UpcomingInvoice,
)
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import clear_key_cache
from tenancy.models import Account, Plan
from tenancy.models.billing import Invoice, StripeCustomer, Subscription
from tenancy.people.onboarding import FIRST_PLAN
from tenancy.signals import billing_changed

log = logging.getLogger(__name__)

# Length of the label column of audit entries.
MAX_LABEL = 40


def store_reading(customer: StripeCustomer, reading: AccountReading) -> None:
    """Store a reading as a whole. One that is older than what is stored is dropped."""
    with tenant_scope(Scope(customer.account_id, None)):
        # The account first, like everybody who changes its plan.
        account = Account.objects.select_for_update(no_key=True).filter(pk=customer.account_id).first()
        # By its id at Stripe, too: an account whose customer was deleted there may have a new one.
        same = StripeCustomer.objects.filter(pk=customer.pk, customer_id=customer.customer_id)
        known = same.select_for_update().first()
        if account is None or known is None:  # deleted meanwhile
            return
        if known.read_at is not None and known.read_at >= reading.began:
            return
        with act_as(STRIPE, (known.last_event_id or known.customer_id)[:MAX_LABEL]):
            _store_state(account, reading)
        if reading.is_gone:
            # The next purchase makes a new one.
            known.delete()
            return
        known.read_at = reading.began
        if known.due_at is not None and known.due_at <= reading.began:
            known.due_at, known.last_event_id = None, ""
        known.save(update_fields=["read_at", "due_at", "last_event_id"])


def get_or_create_subscription(account: Account) -> Subscription:
    """The row of the account, created on first use."""
    row, _ = Subscription.objects.within(account).get_or_create(account=account)
    return row


def _store_state(account: Account, reading: AccountReading) -> None:
    row = get_or_create_subscription(account)
    before, gave = _get_audited_facts(row, account), row.gives_id
    _take_over(row, reading)
    row.gives_id = _find_given_plan_code(reading.sold, row)
    row.save()
    _store_bills(account, reading.bills)
    _settle_plan(account, gave, row.gives_id)
    after = _get_audited_facts(row, account)
    if before != after:
        record_event(account, None, "billing.changed", account, detail={"before": before, "after": after})
    about = {"account_id": str(account.pk), "state": row.state}
    transaction.on_commit(partial(billing_changed.send_robust, None, **about))


def _get_audited_facts(row: Subscription, account: Account) -> dict[str, Any]:
    """Facts whose change is recorded in the audit log."""
    return {
        "plan": account.plan_id,
        "state": row.state,
        "paid": row.gives_id,
        "interval": row.interval,
        "cancels_at": row.cancels_at.isoformat() if row.cancels_at else None,
    }


def _take_over(row: Subscription, reading: AccountReading) -> None:
    if reading.is_gone:
        row.checkout_id = ""
    if reading.sold is not None:
        _take_over_sold(row, reading.sold)
    elif row.subscription_id:
        row.state = SubscriptionState.CANCELED
    _take_over_card(row, reading.card)
    _take_over_upcoming(row, reading.upcoming)
    row.tax_id = reading.tax_id[:60]
    if row.awaited_at is not None and row.awaited_at <= reading.began:
        row.awaited_at = None


def _take_over_sold(row: Subscription, sold: StripeSubscription) -> None:
    if row.subscription_id != sold.id:
        row.checkout_id = ""
    row.subscription_id, row.item_id, row.state = sold.id, sold.item_id, sold.state
    row.price_id, row.period_end, row.cancels_at = sold.price_id, sold.period_end, sold.cancels_at
    row.has_pending_change = sold.has_pending_change
    bought = find_price_plan(sold.price_id)
    row.interval = bought[1] if bought else row.interval


def _take_over_card(row: Subscription, card: StripeCard | None) -> None:
    known = card or StripeCard("", "", "")
    row.card_brand, row.card_last_four, row.card_expires = known.brand[:30], known.last_four, known.expires


def _take_over_upcoming(row: Subscription, upcoming: UpcomingInvoice | None) -> None:
    row.next_amount = upcoming.amount if upcoming else None
    row.next_at = upcoming.at if upcoming else None
    row.currency = upcoming.currency if upcoming else row.currency


def _find_given_plan_code(sold: StripeSubscription | None, row: Subscription) -> str | None:
    """The code of the plan that a subscription gives. An unknown price does not take a paid plan away."""
    if sold is None or sold.state not in GIVING:
        return None
    bought = find_price_plan(sold.price_id)
    if bought is None or not Plan.objects.filter(code=bought[0]).exists():
        log.error("price_unknown", extra={"reason": sold.price_id})
        return row.gives_id
    return bought[0]


def _settle_plan(account: Account, gave: str | None, gives: str | None) -> None:
    """Change the plan when the subscription's plan changed; a plan that an operator granted meanwhile stays."""
    was_granted = gave is not None and account.plan_id != gave
    if gives == gave or was_granted:
        return
    account.plan_id = gives or FIRST_PLAN
    account.save(update_fields=["plan"])
    transaction.on_commit(clear_key_cache)


def _store_bills(account: Account, bills: tuple[StripeInvoice, ...]) -> None:
    rows = [
        Invoice(
            account=account,
            invoice_id=bill.id,
            number=bill.number[:60],
            state=bill.state,
            total=bill.total,
            remaining=bill.remaining,
            currency=bill.currency,
            issued_at=bill.issued_at,
        )
        for bill in bills
    ]
    Invoice.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["account", "invoice_id"],
        update_fields=["number", "state", "total", "remaining"],
    )
