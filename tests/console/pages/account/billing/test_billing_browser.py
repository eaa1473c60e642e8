"""A person pays in a real browser, on an installation that collects money: Stripe is a stand-in on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from console.embedded.stack import Stack
from tests.support.accounts.people import PASSWORD
from tests.support.console.browser import new_profile
from tests.support.servers.stripe_stand_in import StripeStandIn, signed
from tests.support.waiting import LIMIT


@pytest.fixture
def stripe(cashier: StripeStandIn) -> StripeStandIn:
    return cashier


@pytest.fixture
def own(connected: Stack) -> Stack:
    return connected


@pytest.fixture
def page(own: Stack, chromium_browser: Browser) -> Iterator[Page]:
    context = new_profile(chromium_browser, f"http://localhost:{own.port}")
    page = context.new_page()
    refused: list[str] = []
    page.on(
        "console", lambda message: refused.append(message.text) if "Security Policy" in message.text else None
    )
    yield page
    context.close()
    assert refused == []


def deliver_all(own: Stack, stripe: StripeStandIn) -> None:
    with httpx.Client(trust_env=False, verify=False, timeout=LIMIT) as client:
        while stripe.books.events:
            body, signature = signed(stripe.books.events.pop(0))
            headers = {"Stripe-Signature": signature, "Content-Type": "application/json"}
            answer = client.post(f"{own.url}/stripe/events", content=body, headers=headers)
            assert answer.status_code == 200


def test_a_person_pays_and_the_page_follows_what_stripe_says(
    page: Page, own: Stack, stripe: StripeStandIn
) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("E-mail").fill(f"{uuid4().hex}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.locator("form button.button-primary").click()
    page.wait_for_url("**/quickstart/")

    page.goto("/pricing/")
    page.get_by_role("link", name="Choose Pro").click()
    expect(page.get_by_role("heading", name="Billing")).to_be_visible()
    page.get_by_role("link", name="Choose Pro").click()
    # Who signed up a moment ago has not proved who they are yet.
    page.wait_for_url("**/accounts/reauthenticate/**")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("form button.button-primary").click()
    page.get_by_role("button", name="Go to payment").click()
    page.wait_for_url(f"{stripe.url}/c/pay/**")
    session = page.url.rpartition("/")[2]
    sold = stripe.books.pay(session)
    page.goto(stripe.books.sessions[session]["success_url"])

    expect(page.get_by_text("Confirming…")).to_be_visible()
    deliver_all(own, stripe)
    expect(page.get_by_text("•••• 4242")).to_be_visible()
    expect(page.get_by_text("Confirming…")).to_have_count(0)

    # No reload, and nothing is asked for by the clock: the socket tells it.
    expect(page.locator("live-dot")).to_have_attribute("data-state", "live")
    stripe.books.miss_payment(sold["id"])
    deliver_all(own, stripe)
    expect(page.get_by_text("The last payment failed")).to_be_visible()

    page.get_by_role("button", name="Use another card").click()
    page.wait_for_url(f"{stripe.url}/p/session/**/payment_method_update")
