"""Money: what people do on Stripe's pages becomes plans here, by events that are signed, repeated and out of order."""

from __future__ import annotations

import hmac
import time
from hashlib import sha256

import pytest

from tenancy.models.billing import StripeEvent
from tests.support.accounts.paying import (
    checkout,
    deliver,
    deliver_all,
    get_account,
    is_read,
    list_audit,
    standing,
    subscribe,
)
from tests.support.accounts.people import browser
from tests.support.api_client import Tenant
from tests.support.servers.stripe_stand_in import SECRET, StripeStandIn
from tests.support.waiting import wait_until


def test_who_pays_on_stripes_page_has_the_plan_once_stripe_says_so(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    session = checkout(tenant, stripe)
    stripe.books.pay(session, tax_id="DE123456789")
    assert get_account(tenant).plan_id == "free"

    deliver_all(tenant, stripe)

    row = standing(tenant)
    assert get_account(tenant).plan_id == "pro"
    assert (row.state, row.interval, row.card_last_four, row.tax_id) == (
        "active",
        "month",
        "4242",
        "DE123456789",
    )
    assert row.next_amount == 9_900


def test_an_event_is_answered_while_stripe_itself_is_slow(tenant: Tenant, stripe: StripeStandIn) -> None:
    stripe.books.pay(checkout(tenant, stripe))
    stripe.may_answer.clear()

    answer = deliver(stripe.books.events.pop(0))

    assert answer.status_code == 200
    stripe.may_answer.set()
    wait_until(lambda: get_account(tenant).plan_id == "pro")


def test_an_event_that_comes_again_changes_nothing_twice(tenant: Tenant, stripe: StripeStandIn) -> None:
    stripe.books.pay(checkout(tenant, stripe))
    event = stripe.books.events[1]
    deliver_all(tenant, stripe)
    before = list_audit(tenant)

    answers = [deliver(event) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert is_read(tenant)
    assert list_audit(tenant) == before


def test_the_change_is_stripes_and_is_written_down_once(tenant: Tenant, stripe: StripeStandIn) -> None:
    stripe.books.pay(checkout(tenant, stripe))
    event_ids = {event["id"] for event in stripe.books.events}

    deliver_all(tenant, stripe)

    kinds = [(kind, action) for kind, _, action in list_audit(tenant)]
    assert kinds == [("member", "billing.checkout_started"), ("stripe", "billing.changed")]
    assert list_audit(tenant)[-1][1] in event_ids


@pytest.mark.parametrize("signing", [{"secret": "whsec_of_somebody_else"}, {"at": time.time() - 301}])
def test_a_forged_or_old_event_is_refused_and_changes_nothing(
    tenant: Tenant, stripe: StripeStandIn, signing: dict[str, object]
) -> None:
    stripe.books.pay(checkout(tenant, stripe))
    event = stripe.books.events[0]

    answer = deliver(event, **signing)

    assert answer.status_code == 400
    assert not StripeEvent.objects.filter(pk=event["id"]).exists()
    assert get_account(tenant).plan_id == "free"


def test_events_out_of_order_leave_what_is_true_now(tenant: Tenant, stripe: StripeStandIn) -> None:
    sold = subscribe(tenant, stripe)
    missed = stripe.books.miss_payment(sold["id"])
    recovered = stripe.books.recover(sold["id"])
    stripe.books.events.clear()

    for event in (recovered, missed):
        assert deliver(event).status_code == 200
    deliver_all(tenant, stripe)

    assert standing(tenant).state == "active"
    assert get_account(tenant).plan_id == "pro"


def test_two_secrets_are_good_while_they_are_rotated(tenant: Tenant, stripe: StripeStandIn) -> None:
    stripe.settings["WEBHOOK_SECRETS"][:] = ["whsec_new", SECRET]
    stripe.books.pay(checkout(tenant, stripe))
    first, second = stripe.books.events[:2]

    assert deliver(first, secret="whsec_new").status_code == 200  # noqa: S106
    assert deliver(second, secret=SECRET).status_code == 200
    stripe.settings["WEBHOOK_SECRETS"][:] = ["whsec_new"]
    assert deliver(second, secret=SECRET).status_code == 400


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"id": 7}'])
def test_what_is_no_event_is_refused_even_when_it_is_signed(stripe: StripeStandIn, body: bytes) -> None:
    moment = int(time.time())
    digest = hmac.new(SECRET.encode(), f"{moment}.".encode() + body, sha256).hexdigest()

    answer = browser().post(
        "/stripe/events",
        body,
        "application/json",
        headers={"Stripe-Signature": f"t={moment},v1={digest}"},
    )

    assert answer.status_code == 400


def test_an_event_without_a_signature_or_too_large_is_refused(stripe: StripeStandIn) -> None:
    unsigned = browser().post("/stripe/events", b"{}", "application/json")
    large = browser().post("/stripe/events", b"x" * 600_000, "application/json")
    strange = browser().post(
        "/stripe/events",
        b"{}",
        "application/json",
        headers={"Stripe-Signature": f"t={int(time.time())},v1=\xe9"},
    )

    assert [answer.status_code for answer in (unsigned, large, strange)] == [400, 413, 400]
