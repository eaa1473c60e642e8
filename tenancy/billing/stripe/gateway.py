"""Client for Stripe: address, time limits, translation of its errors."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import stripe
from django.conf import settings
from django.db import connection

from tenancy.billing.stripe.failures import BillingRefused, PaymentRefused, PaymentsUnavailable

log = logging.getLogger(__name__)

# Stripe answers in well under a second. The library tries again, under the same idempotency key, so that a person
# waits 25 s at the very most. To connect, and between bytes:
TIMEOUT = (2.0, 6.0)
RETRIES = 2
# What Stripe calls an object that it does not know, or no longer.
GONE_ALREADY = "resource_missing"
# Temporary errors, which periodic tasks retry.
PASSING = (stripe.APIConnectionError, stripe.RateLimitError)


def is_configured() -> bool:
    """Return whether payments are collected here; otherwise operators grant plans."""
    return bool(settings.STRIPE["SECRET_KEY"])


@contextmanager
def open_stripe() -> Iterator[stripe.StripeClient]:
    """Open a connection to Stripe. Do not call it inside a transaction.

    Raises `PaymentsUnavailable`, `PaymentRefused` and `BillingRefused` where the library raises its own.
    """
    if connection.in_atomic_block:
        raise RuntimeError("Stripe is asked outside of transactions.")
    try:
        yield _build_stripe_client(settings.STRIPE["SECRET_KEY"], settings.STRIPE["API_BASE"])
    except PASSING as error:
        log.warning("stripe_away", extra={"fault": type(error).__name__})
        raise PaymentsUnavailable from error
    except stripe.CardError as refusal:
        raise PaymentRefused(refusal.user_message or "") from refusal
    except stripe.StripeError as refusal:
        _log_refusal(refusal)
        if (refusal.http_status or 0) >= 500:
            raise PaymentsUnavailable from refusal
        raise BillingRefused from refusal


class _Transport(stripe.RequestsClient):
    """Transport with kept connections and without redirects: the key is only for the configured address."""

    def __init__(self) -> None:
        super().__init__(timeout=TIMEOUT)
        self._session = self.requests.Session()
        self._session.max_redirects = 0


@cache
def _build_stripe_client(secret_key: str, api_base: str) -> stripe.StripeClient:
    """One client per process."""
    return stripe.StripeClient(
        secret_key, base_addresses={"api": api_base}, max_network_retries=RETRIES, http_client=_Transport()
    )


def _log_refusal(refusal: stripe.StripeError) -> None:
    """Log an error without its message, which may quote user input."""
    log.error(
        "stripe_refused",
        extra={"fault": type(refusal).__name__, "reason": refusal.code, "request_id": refusal.request_id},
    )
