"""What keeps an account in step with Stripe when events are lost, doubled, old, or of no concern."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from console.interfaces.payments.settings import list_stripe_origins, parse_stripe_prices
from console.interfaces.payments.settings import read_stripe_settings as stripe_settings
from tenancy.billing.apply_stripe_state import store_reading
from tenancy.billing.checkout import start_checkout
from tenancy.billing.prices import find_price_choice
from tenancy.billing.reread_accounts import READ_EVERY, read_due_accounts
from tenancy.billing.stripe.customers import find_customer
from tenancy.billing.stripe.failures import BillingRefused, PaidAlready, PaymentUnderway
from tenancy.billing.stripe.read_state import read_account
from tenancy.billing.webhook_events import clear_events
from tenancy.models import Account
from tenancy.models.billing import StripeCustomer, StripeEvent
from tests.support.accounts.paying import (
    WAY,
    checkout,
    deliver,
    deliver_all,
    get_account,
    is_read,
    list_audit,
    read_now,
    standing,
    subscribe,
)
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant
from tests.support.servers.stripe_stand_in import StripeStandIn
from tests.support.waiting import wait_until


def customer(tenant: Tenant) -> StripeCustomer:
    customer = find_customer(get_account(tenant))
    assert customer
    return customer


# Lost and late.


def test_an_event_that_is_lost_is_made_good_by_the_clock(tenant: Tenant, stripe: StripeStandIn) -> None:
    stripe.books.pay(checkout(tenant, stripe))
    stripe.books.events.clear()

    read_now(tenant)

    assert get_account(tenant).plan_id == "pro"


def test_who_was_not_read_for_long_is_read_though_nothing_was_heard(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    sold = subscribe(tenant, stripe)
    stripe.books.end(sold["id"])
    long_ago = timezone.now() - READ_EVERY - timedelta(minutes=1)
    StripeCustomer.objects.filter(pk=customer(tenant).pk).update(due_at=None, read_at=long_ago)

    wait_until(lambda: read_due_accounts() >= 0 and get_account(tenant).plan_id == "free")


def test_an_account_that_stripe_fails_to_read_keeps_no_other_waiting(
    tenant: Tenant, stranger: Tenant, stripe: StripeStandIn
) -> None:
    sold = [subscribe(owner, stripe) for owner in (stranger, tenant)]
    stripe.failing = customer(stranger).customer_id
    for number, owner in enumerate((stranger, tenant)):
        stripe.books.end(sold[number]["id"])
        due = timezone.now() - timedelta(days=2 - number)
        StripeCustomer.objects.filter(pk=customer(owner).pk).update(due_at=due)

    wait_until(lambda: read_due_accounts() >= 0 and get_account(tenant).plan_id == "free")

    assert get_account(stranger).plan_id == "pro"


def test_what_was_read_earlier_does_not_replace_what_was_read_later(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    sold = subscribe(tenant, stripe)
    early = read_account(customer(tenant).customer_id)
    stripe.books.end(sold["id"])
    late = read_account(customer(tenant).customer_id)

    store_reading(customer(tenant), late)
    store_reading(customer(tenant), early)

    assert standing(tenant).state == "canceled"
    assert get_account(tenant).plan_id == "free"


def test_while_stripe_is_away_everything_stays_and_is_done_afterwards(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    stripe.books.pay(checkout(tenant, stripe))
    event = stripe.books.events[0]
    stripe.failures = 99

    assert deliver(event).status_code == 200
    read_now(tenant)
    assert get_account(tenant).plan_id == "free"
    stripe.failures = 0
    read_now(tenant)

    assert get_account(tenant).plan_id == "pro"


def test_a_request_that_failed_is_made_again_under_its_key(tenant: Tenant, stripe: StripeStandIn) -> None:
    stripe.failures = 1

    checkout(tenant, stripe)

    assert len(stripe.books.customers) == 1
    assert all(request.idempotency_key for request in stripe.asked if request.method == "POST")


# Of no concern.


@pytest.mark.parametrize(
    "about", [{"object": "charge", "customer": "cus_of_nobody"}, {"object": "balance"}, {}]
)
def test_what_concerns_nobody_here_is_answered_and_forgotten(
    stack: object, stripe: StripeStandIn, about: dict[str, str]
) -> None:
    event = stripe.books.tell("invoice.paid", about)

    assert deliver(event).status_code == 200
    assert not StripeEvent.objects.filter(pk=event["id"]).exists()


def test_a_kind_nobody_knows_is_answered_and_forgotten(tenant: Tenant, stripe: StripeStandIn) -> None:
    event = stripe.books.tell("treasury.something.new", subscribe(tenant, stripe))

    assert deliver(event).status_code == 200
    assert is_read(tenant)
    assert not StripeEvent.objects.filter(pk=event["id"]).exists()


def test_events_are_forgotten_when_they_can_come_no_more(tenant: Tenant, stripe: StripeStandIn) -> None:
    subscribe(tenant, stripe)
    mine = StripeEvent.objects.filter(customer_id=customer(tenant).customer_id)
    assert mine.exists()

    clear_events()
    assert mine.exists()
    mine.update(received_at=timezone.now() - timedelta(days=41))
    clear_events()

    assert not mine.exists()


def test_one_account_that_stripe_tells_strangely_keeps_no_other_waiting(
    tenant: Tenant, stranger: Tenant, stripe: StripeStandIn
) -> None:
    Account.objects.filter(pk=get_account(stranger).pk).update(plan="free")
    stripe.books.pay(checkout(stranger, stripe))["items"]["data"].clear()
    stripe.books.pay(checkout(tenant, stripe))
    StripeCustomer.objects.filter(pk=customer(stranger).pk).update(due_at="2019-01-01T00:00Z")

    read_now(tenant)

    assert get_account(tenant).plan_id == "pro"
    assert get_account(stranger).plan_id == "free"
    assert customer(stranger).due_at > timezone.now()


# Twice.


def test_a_second_page_to_pay_on_ends_the_first(tenant: Tenant, stripe: StripeStandIn) -> None:
    first = checkout(tenant, stripe, "starter")
    second = checkout(tenant, stripe, "pro")

    assert stripe.books.sessions[first]["status"] == "expired"
    assert stripe.books.sessions[second]["status"] == "open"


def test_nobody_buys_again_while_the_first_payment_is_confirmed(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    stripe.books.pay(checkout(tenant, stripe))

    with pytest.raises(PaymentUnderway):
        checkout(tenant, stripe)
    deliver_all(tenant, stripe)
    with pytest.raises(PaidAlready):
        checkout(tenant, stripe)


def test_after_the_end_a_plan_is_bought_anew(tenant: Tenant, stripe: StripeStandIn) -> None:
    stripe.books.end(subscribe(tenant, stripe)["id"])
    deliver_all(tenant, stripe)

    subscribe(tenant, stripe, "starter", "year")

    assert get_account(tenant).plan_id == "starter"
    assert standing(tenant).interval == "year"
    assert len(stripe.books.customers) == 1


# What it takes away, and what not.


def test_what_an_operator_granted_stays_when_a_subscription_ends(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    sold = subscribe(tenant, stripe)
    Account.objects.filter(pk=get_account(tenant).pk).update(plan="enterprise")

    stripe.books.end(sold["id"])
    deliver_all(tenant, stripe)

    assert get_account(tenant).plan_id == "enterprise"
    assert standing(tenant).state == "canceled"


def test_a_price_that_nobody_told_us_of_takes_no_plan_away(tenant: Tenant, stripe: StripeStandIn) -> None:
    sold = subscribe(tenant, stripe)
    del stripe.settings["PRICES"]["price_pro_month"]

    stripe.books.tell("customer.subscription.updated", sold)
    deliver_all(tenant, stripe)

    assert get_account(tenant).plan_id == "pro"


def test_a_price_that_is_sold_no_more_still_gives_its_plan(tenant: Tenant, stripe: StripeStandIn) -> None:
    prices = stripe.settings["PRICES"]
    stripe.settings["PRICES"] = {"price_pro_month_2027": ("pro", "month"), **prices}

    assert find_price_choice("pro", "month").price_id == "price_pro_month_2027"
    stripe.settings["PRICES"] = {**prices, "price_pro_month_2025": ("pro", "month")}
    subscribe(tenant, stripe)

    assert get_account(tenant).plan_id == "pro"


def test_a_customer_who_was_deleted_at_stripe_starts_anew(tenant: Tenant, stripe: StripeStandIn) -> None:
    subscribe(tenant, stripe)
    known = customer(tenant).customer_id
    stripe.books.customers[known] = {"id": known, "object": "customer", "deleted": True}

    read_now(tenant)

    assert get_account(tenant).plan_id == "free"
    assert find_customer(get_account(tenant)) is None
    stripe.books.events.clear()
    subscribe(tenant, stripe)
    assert get_account(tenant).plan_id == "pro"


# Wrong settings.


def test_a_key_that_stripe_does_not_know_is_told_and_changes_nothing(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    stripe.settings["SECRET_KEY"] = "sk_test_of_somebody_else"  # noqa: S105

    with pytest.raises(BillingRefused):
        start_checkout(
            get_account(tenant), find_price_choice("pro", "month"), get_owner(tenant), WAY, uuid4()
        )

    assert list_audit(tenant) == []


@pytest.mark.parametrize("entry", ["pro=price_1", "pro:week=price_1", "pro:month=", ":month=price_1"])
def test_prices_that_are_written_wrongly_are_refused(entry: str) -> None:
    with pytest.raises(ImproperlyConfigured):
        parse_stripe_prices([entry])


def test_half_of_the_settings_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIPE_SECRET_KEY", "sk_test_1")

    with pytest.raises(ImproperlyConfigured):
        stripe_settings()


def test_forms_may_lead_to_stripes_pages_where_money_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list_stripe_origins() == []
    monkeypatch.setenv("STRIPE_SECRET_KEY", "sk_test_1")
    monkeypatch.setenv("STRIPE_WEBHOOK_SECRETS", "whsec_new\nwhsec_old")
    monkeypatch.setenv("STRIPE_PRICES", "pro:month=price_1, pro:year=price_2")

    assert list_stripe_origins() == ["https://checkout.stripe.com", "https://billing.stripe.com"]
    assert stripe_settings().webhook_secrets == ["whsec_new", "whsec_old"]
    monkeypatch.setenv("STRIPE_PAGES", "https://pay.example.org")
    assert list_stripe_origins() == ["https://pay.example.org"]
