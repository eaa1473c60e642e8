"""Receive Stripe's webhook events. An event only says that a customer changed; the state is read from Stripe.

So it does not matter in which order events come, how often, or whether one is lost.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import stripe
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from tenancy.billing.stripe.read_state import get_database_time
from tenancy.models.billing import StripeCustomer, StripeEvent

log = logging.getLogger(__name__)

TOLERANCE_SECONDS = 300
_EVENT_ID = re.compile(r"\w{1,200}", re.ASCII)
# Beginnings of the names of events after which an account may stand otherwise than before.
EVENT_TYPES = ("customer", "checkout.session.", "invoice.", "payment_method.", "subscription_schedule.")
# Stripe repeats an event for three days; by hand it can be sent again for thirty.
KEPT = timedelta(days=40)


class InvalidSignature(Exception):
    """The event is not signed with one of our secrets, or was signed too long ago."""


def receive_event(body: bytes, signature: str) -> UUID | None:
    """Remembers the event together with what it leads to, and says whose account is to be read again.

    None when nothing follows: a repeated event, an irrelevant type, or an unknown customer. Raises
    `InvalidSignature`.
    """
    event = _verify_event(body, signature)
    kind, customer_id = str(event.get("type", "")), _get_customer_id(event)
    if not kind.startswith(EVENT_TYPES) or not customer_id:
        return None
    return _note_event(str(event["id"]), kind, customer_id)


def _verify_event(body: bytes, signature: str) -> dict[str, Any]:
    """During a rotation two secrets are good."""
    if not signature.isascii():
        raise InvalidSignature
    for secret in settings.STRIPE["WEBHOOK_SECRETS"]:
        try:
            stripe.WebhookSignature.verify_header(body, signature, secret, TOLERANCE_SECONDS)
        except (stripe.SignatureVerificationError, UnicodeDecodeError):
            continue
        return _parse_event(body)
    raise InvalidSignature


def _parse_event(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidSignature from error
    key = event.get("id") if isinstance(event, dict) else None
    if not isinstance(key, str) or not _EVENT_ID.fullmatch(key):
        raise InvalidSignature
    return event


def _get_customer_id(event: dict[str, Any]) -> str:
    data = event.get("data")
    about = data.get("object") if isinstance(data, dict) else None
    if not isinstance(about, dict):
        return ""
    customer = about.get("id") if about.get("object") == "customer" else about.get("customer")
    return str(customer.get("id", "")) if isinstance(customer, dict) else str(customer or "")


@transaction.atomic
def _note_event(event_id: str, kind: str, customer_id: str) -> UUID | None:
    customer = StripeCustomer.objects.select_for_update().filter(customer_id=customer_id).first()
    if customer is None:
        return None
    _, is_new = StripeEvent.objects.get_or_create(
        pk=event_id, defaults={"kind": kind[:100], "customer_id": customer_id}
    )
    if not is_new:
        return None
    # By the clock that readings begin by.
    customer.last_event_id, customer.due_at = event_id, get_database_time()
    customer.save(update_fields=["last_event_id", "due_at"])
    return customer.account_id


def clear_events() -> int:
    deleted, _ = StripeEvent.objects.filter(received_at__lt=timezone.now() - KEPT).delete()
    return deleted
