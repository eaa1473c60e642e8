"""The page on which an owner pays: what it shows, what it says went wrong, and to whom."""

from __future__ import annotations

from django.test import Client

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Role
from tenancy.models.billing import Invoice
from tests.support.accounts.paying import (
    checkout,
    deliver_all,
    get_account,
    hidden,
    list_audit,
    look,
    place,
    subscribe,
    words,
)
from tests.support.accounts.people import add_member, sign_in
from tests.support.api_client import Tenant
from tests.support.servers.stripe_stand_in import StripeStandIn

HTMX = {"HX-Request": "true"}


# Buying.


def test_an_owner_chooses_a_plan_pays_at_stripe_and_comes_back_to_it(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    dialog = owner.get(place(tenant, "choose/pro/month/"), headers=HTMX)
    assert "$99" in words(dialog)

    there = owner.post(
        place(tenant, "choose/pro/month/"), {"once": hidden(dialog, "once")}, headers=HTMX
    ).headers["HX-Redirect"]
    session = stripe.books.sessions[there.rpartition("/")[2]]
    stripe.books.pay(session["id"])
    back = session["success_url"].partition("localhost")[2].partition("/")[2]

    assert "Confirming" in words(owner.get(f"/{back}"))
    deliver_all(tenant, stripe)
    page = words(owner.get(f"/{back}"))
    assert "Confirming" not in page
    assert "Pro Active" in page
    assert "•••• 4242" in page
    assert "Paid" in page
    assert "$99.00" in page


def test_without_scripts_the_browser_is_led_to_stripe_too(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    page = owner.get(place(tenant, "choose/starter/year/"))

    answer = owner.post(place(tenant, "choose/starter/year/"), {"once": hidden(page, "once")})

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(f"{stripe.url}/c/pay/")


def test_a_form_that_is_sent_twice_is_one_purchase(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    form = {"once": hidden(owner.get(place(tenant, "choose/pro/month/")), "once")}

    first, second = (owner.post(place(tenant, "choose/pro/month/"), form) for _ in range(2))

    assert first.headers["Location"] == second.headers["Location"]
    assert len(stripe.books.sessions) == 1
    assert [action for _, _, action in list_audit(tenant)] == ["billing.checkout_started"]


def test_who_comes_back_without_paying_still_has_the_plan_and_no_waiting(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    checkout(tenant, stripe)

    page = look(owner, tenant)

    assert "Confirming" not in page
    assert "Choose Pro" in page
    assert "No invoices yet" in page


def test_a_provider_that_is_away_is_told_and_nothing_breaks(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    stripe.failures = 99

    answer = owner.post(place(tenant, "choose/pro/month/"), headers=HTMX)

    assert answer.status_code == 422
    assert "The payment provider cannot be reached. Try again in a few minutes" in words(answer)


# What went wrong, and what to do.


def test_a_failed_payment_is_explained_on_every_page_until_it_is_paid(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    sold = subscribe(tenant, stripe)
    stripe.books.miss_payment(sold["id"])
    deliver_all(tenant, stripe)

    page, elsewhere = look(owner, tenant), words(owner.get(f"/a/{tenant.project.account_id}/usage/"))

    assert "The last payment failed" in page
    assert "Pay the invoice" in page
    assert "Use another card" in page
    assert get_account(tenant).plan_id == "pro"
    assert "The last payment for this account failed" in elsewhere
    stripe.books.recover(sold["id"])
    deliver_all(tenant, stripe)
    assert "failed" not in words(owner.get(f"/a/{tenant.project.account_id}/usage/"))


STATES = {
    "unpaid": "The subscription is not paid",
    "incomplete": "The first payment is not complete",
    "paused": "The subscription is paused",
    "incomplete_expired": "The first payment was not made",
    "canceled": "The subscription has ended",
}


def test_each_state_says_what_happened(tenant: Tenant, owner: Client, stripe: StripeStandIn) -> None:
    sold = subscribe(tenant, stripe)

    for state, expected in STATES.items():
        sold["status"] = state
        stripe.books.tell("customer.subscription.updated", sold)
        deliver_all(tenant, stripe)

        assert expected in look(owner, tenant)
        assert get_account(tenant).plan_id == "free"


# Stripe's own pages.


def test_the_portal_and_the_invoices_are_stripes(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    subscribe(tenant, stripe)
    with tenant_scope(get_account(tenant)):
        invoice = Invoice.objects.within(get_account(tenant)).get()

    portal = owner.post(place(tenant, "portal/"))
    card = owner.post(place(tenant, "portal/"), {"card": "yes"})
    bill = owner.get(place(tenant, f"invoices/{invoice.pk}/"))

    assert portal.headers["Location"].startswith(f"{stripe.url}/p/session/")
    assert card.headers["Location"].endswith("/flow/payment_method_update")
    assert bill.headers["Location"] == f"{stripe.url}/i/{invoice.invoice_id}"


def test_a_portal_that_cannot_be_opened_is_said_on_the_page(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    subscribe(tenant, stripe)
    stripe.failures = 99

    answer = owner.post(place(tenant, "portal/"), follow=True)

    assert answer.status_code == 200
    assert "The payment provider cannot be reached" in words(answer)


# Roles.


def test_admins_read_invoices_and_others_see_whom_to_ask(tenant: Tenant, stripe: StripeStandIn) -> None:
    subscribe(tenant, stripe)
    account = get_account(tenant)
    admin, developer = (sign_in(add_member(account, role)) for role in (Role.ADMIN, Role.DEVELOPER))
    with tenant_scope(account):
        invoice = Invoice.objects.within(account).get()

    assert invoice.number in look(admin, tenant)
    assert admin.get(place(tenant, f"invoices/{invoice.pk}/")).status_code == 302
    seen = look(developer, tenant)
    assert invoice.number not in seen
    assert "4242" not in seen
    assert "Only owners change the plan. Ask" in seen
    assert developer.get(place(tenant, f"invoices/{invoice.pk}/")).status_code == 403
    for client in (admin, developer):
        for rest in ("choose/starter/month/", "cancel/", "resume/", "portal/"):
            assert client.post(place(tenant, rest)).status_code == 403


def test_an_invoice_of_another_account_is_not_found(
    tenant: Tenant, stranger: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    type(get_account(stranger)).objects.filter(pk=get_account(stranger).pk).update(plan="free")
    subscribe(stranger, stripe)
    with tenant_scope(get_account(stranger)):
        theirs = Invoice.objects.within(get_account(stranger)).get()

    assert owner.get(place(tenant, f"invoices/{theirs.pk}/")).status_code == 404
