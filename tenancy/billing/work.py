"""Reads accounts again from Stripe: at once after an event, by the clock where that failed or no event came.

The row says that it is to be done; who does it does not matter. A process that dies loses a minute.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from tenancy.billing.events import clear_events
from tenancy.billing.failures import BillingRefused, PaymentsUnavailable
from tenancy.billing.gateway import is_configured
from tenancy.billing.reading import read_account
from tenancy.billing.standing import store_reading
from tenancy.models.billing import StripeCustomer
from tenancy.runtime.background_writer import BackgroundWriter
from tenancy.runtime.shutdown import seconds_since_stop

log = logging.getLogger(__name__)

# Events are lost at times: whoever was not read for this long is read anyway.
READ_EVERY = timedelta(hours=6)
# For a customer that Stripe does not know, such as after a change of its keys.
AGAIN_AFTER_REFUSAL = timedelta(hours=1)
# A round of the clock, which has two minutes.
MOST_IN_A_ROUND = 60


def read_account_soon(account: UUID) -> None:
    """Soon, off the request: what Stripe says of the account now is stored."""
    _waiting.put(account)


def read_due_accounts() -> int:
    """What is due and was not done, and who was not read for long. Returns how many were read."""
    if not is_configured():
        return 0
    clear_events()
    now = timezone.now()
    late = Q(due_at__lte=now) | Q(due_at=None, read_at__lt=now - READ_EVERY)
    customers = StripeCustomer.objects.filter(late).order_by(F("due_at").asc(nulls_last=True), "read_at")
    return _read_all(list(customers[:MOST_IN_A_ROUND]))


def _read_waiting(accounts: list[UUID]) -> None:
    """After a burst of events of one account it is read once. A process that stops leaves it to the clock."""
    if is_configured() and not seconds_since_stop():
        _read_all(list(StripeCustomer.objects.filter(pk__in=set(accounts))))


def _read_all(customers: list[StripeCustomer]) -> int:
    done = 0
    for customer in customers:
        try:
            store_reading(customer, read_account(customer.customer_id))
            done += 1
        except BillingRefused:
            # What was heard of since then is due at once.
            same = StripeCustomer.objects.filter(pk=customer.pk, due_at=customer.due_at)
            same.update(due_at=timezone.now() + AGAIN_AFTER_REFUSAL)
        except PaymentsUnavailable:
            # It would be the same for the others; the next round tries again.
            log.warning("accounts_not_read", extra={"left": len(customers) - done})
            break
    return done


_waiting: BackgroundWriter[UUID] = BackgroundWriter("billing", _read_waiting)
