"""Values read from Stripe."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SubscriptionState(StrEnum):
    """State of a subscription, in Stripe's terms."""

    ACTIVE = "active"
    TRIALING = "trialing"
    PAST_DUE = "past_due"
    UNPAID = "unpaid"
    INCOMPLETE = "incomplete"
    INCOMPLETE_EXPIRED = "incomplete_expired"
    PAUSED = "paused"
    CANCELED = "canceled"


# Those that give a plan: while Stripe still tries to collect, nobody loses it.
GIVING = frozenset({SubscriptionState.ACTIVE, SubscriptionState.TRIALING, SubscriptionState.PAST_DUE})
# Those of which nothing is owed.
PAID = frozenset({SubscriptionState.ACTIVE, SubscriptionState.TRIALING})
# Those that are over for good: another one may be bought.
OVER = frozenset({"", SubscriptionState.CANCELED, SubscriptionState.INCOMPLETE_EXPIRED})


@dataclass(frozen=True, slots=True)
class StripeSubscription:
    """A subscription with one price."""

    id: str
    item_id: str
    state: str
    price_id: str
    created: int
    period_end: datetime | None
    cancels_at: datetime | None
    has_pending_change: bool
    card: StripeCard | None


@dataclass(frozen=True, slots=True)
class StripeCard:
    brand: str
    last_four: str
    expires: str


@dataclass(frozen=True, slots=True)
class StripeInvoice:
    """An invoice; amounts are in the smallest unit of its currency."""

    id: str
    number: str
    state: str
    total: int
    remaining: int
    currency: str
    issued_at: datetime


@dataclass(frozen=True, slots=True)
class UpcomingInvoice:
    """The next invoice, or the one that a change would cause."""

    amount: int
    currency: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class AccountReading:
    """All that Stripe returned for one customer; `began` is the time of the first request. `is_gone`: deleted at
    Stripe.
    """

    began: datetime
    sold: StripeSubscription | None = None
    card: StripeCard | None = None
    tax_id: str = ""
    bills: tuple[StripeInvoice, ...] = ()
    upcoming: UpcomingInvoice | None = None
    is_gone: bool = False
