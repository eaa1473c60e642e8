"""An account's customer record at Stripe, and changes that Stripe has not confirmed yet."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from tenancy.billing.stripe.failures import NothingPaid
from tenancy.billing.stripe.gateway import is_configured, open_stripe
from tenancy.billing.values import OVER, SubscriptionState
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.models import Account, User
from tenancy.models.billing import StripeCustomer, Subscription

# When no event came after something was asked of Stripe, it is looked at anyway.
LOOK_AFTER = timedelta(minutes=1)


def find_customer(account: Account) -> StripeCustomer | None:
    return StripeCustomer.objects.filter(account=account).first()


def get_or_create_customer(account: Account, owner: User, once: UUID) -> StripeCustomer:
    """The customer of this account. A form that is sent twice creates one, by Stripe's idempotency key."""
    known = find_customer(account)
    if known is not None:
        return known
    with open_stripe() as client:
        made = client.v1.customers.create(
            {"name": account.name, "email": owner.email, "metadata": {"account": str(account.pk)}},
            {"idempotency_key": f"customer:{account.pk}:{once}"},
        )
    customer, _ = StripeCustomer.objects.get_or_create(account=account, defaults={"customer_id": made.id})
    return customer


def load_subscription(account: Account) -> Subscription:
    """The stored subscription of the account; an unsaved empty row if there is none."""
    with tenant_scope(Scope.of_account(account)):
        row: Subscription | None = Subscription.objects.within(account).select_related("gives").first()
    return row or Subscription(account=account)


def find_unpaid_subscription(account: Account) -> Subscription | None:
    """The subscription of an account with unpaid invoices. Called on every page, in any scope."""
    if not is_configured():
        return None
    with tenant_scope(get_active_scope() or Scope.of_account(account)):
        rows = Subscription.objects.within(account).filter(
            state__in=[SubscriptionState.PAST_DUE, SubscriptionState.UNPAID]
        )
        return rows.first()


def require_paid_subscription(account: Account) -> tuple[StripeCustomer, Subscription]:
    """The running subscription. Raises `NothingPaid` for an account without one."""
    customer, row = find_customer(account), load_subscription(account)
    if customer is None or not row.subscription_id or row.state in OVER:
        raise NothingPaid
    return customer, row


def schedule_read(customer: StripeCustomer, since: datetime, after: timedelta = LOOK_AFTER) -> None:
    """Read the account again later, in case no event arrives. An earlier due time stays."""
    due = since + after
    StripeCustomer.objects.filter(Q(due_at=None) | Q(due_at__gt=due), pk=customer.pk).update(due_at=due)


def await_change(customer: StripeCustomer, asked_at: datetime) -> None:
    """Show the change as pending until Stripe confirms it, unless it has already; inside the account's scope."""
    # Lock the customer first, in the same order as code that stores a reading.
    known = StripeCustomer.objects.select_for_update().filter(pk=customer.pk).first()
    if known is not None and (known.read_at is None or known.read_at <= asked_at):
        Subscription.objects.within(customer.account_id).update(awaited_at=asked_at)
        schedule_read(customer, asked_at)
