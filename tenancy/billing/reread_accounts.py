"""Read accounts from Stripe again: at once after an event, and periodically where that failed or no event came.

The row says that it is to be done; who does it does not matter. A process that dies loses a minute.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from tenancy.billing.apply_stripe_state import store_reading
from tenancy.billing.stripe.failures import BillingRefused, PaymentsUnavailable
from tenancy.billing.stripe.gateway import is_configured
from tenancy.billing.stripe.read_state import read_account
from tenancy.billing.webhook_events import clear_events
from tenancy.models.billing import StripeCustomer
from tenancy.runtime.background_writer import BackgroundWriter
from tenancy.runtime.shutdown import get_seconds_since_stop

log = logging.getLogger(__name__)

# Events may be lost: an account that was not read for this long is read anyway.
READ_EVERY = timedelta(hours=6)
# For a customer that Stripe does not know, such as after a change of its keys.
AGAIN_AFTER_REFUSAL = timedelta(hours=1)
# A round of the clock, which has two minutes.
MOST_IN_A_ROUND = 60
# One failure may be that of this customer, which must not keep the others waiting; so many in a row are Stripe's.
FAILURES_IN_A_ROW = 3


def read_account_soon(account: UUID) -> None:
    """Read and store the state of the account in the background."""
    _waiting.put(account)


def read_due_accounts() -> int:
    """Read accounts that are due or were not read for long. Returns their number."""
    if not is_configured():
        return 0
    clear_events()
    now = timezone.now()
    late = Q(due_at__lte=now) | Q(due_at=None, read_at__lt=now - READ_EVERY)
    customers = StripeCustomer.objects.filter(late).order_by(F("due_at").asc(nulls_last=True), "read_at")
    return _read_all(list(customers[:MOST_IN_A_ROUND]))


def _read_waiting(accounts: list[UUID]) -> None:
    """Read each account once after a burst of events. A process that stops leaves it to the periodic task."""
    if is_configured() and not get_seconds_since_stop():
        _read_all(list(StripeCustomer.objects.filter(pk__in=set(accounts))))


def _read_all(customers: list[StripeCustomer]) -> int:
    done = failures = 0
    for customer in customers:
        try:
            store_reading(customer, read_account(customer.customer_id))
            done, failures = done + 1, 0
        except BillingRefused:
            failures = 0
            # Accounts with newer events are due at once.
            same = StripeCustomer.objects.filter(pk=customer.pk, due_at=customer.due_at)
            same.update(due_at=timezone.now() + AGAIN_AFTER_REFUSAL)
        except PaymentsUnavailable:
            failures += 1
            if failures == FAILURES_IN_A_ROW:  # the next round tries again
                log.warning("accounts_not_read", extra={"left": len(customers) - done})
                break
    return done


_waiting: BackgroundWriter[UUID] = BackgroundWriter("billing", _read_waiting)
