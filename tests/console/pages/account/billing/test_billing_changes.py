"""A plan that is paid is changed, cancelled, resumed, and ends with its account."""

from __future__ import annotations

import re
from uuid import uuid4

from django.test import Client

from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.meters import Meter
from tenancy.metering.usage import get_today
from tenancy.models import Account, ApiKey
from tenancy.models.usage import UsageDay
from tests.support.accounts.paying import (
    deliver_all,
    get_account,
    hidden,
    list_audit,
    look,
    place,
    standing,
    subscribe,
    words,
)
from tests.support.api_client import Api, Tenant
from tests.support.console.operators import operator_client
from tests.support.knowledge.knowledge import file_item, new_base
from tests.support.servers.stripe_stand_in import StripeStandIn
from tests.support.waiting import wait_until

HTMX = {"HX-Request": "true"}


# Changing.


def test_the_preview_says_what_is_paid_now_and_that_is_what_is_charged(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    sold = subscribe(tenant, stripe, "starter")
    dialog = owner.get(place(tenant, "choose/pro/month/"), headers=HTMX)
    shown = re.search(r"You pay now \$([\d.]+)", words(dialog))

    answer = owner.post(
        place(tenant, "choose/pro/month/"), {"previewed_at": hidden(dialog, "previewed_at")}, headers=HTMX
    )

    assert answer.status_code == 200
    assert "Confirming" in look(owner, tenant)
    assert get_account(tenant).plan_id == "starter"
    deliver_all(tenant, stripe)
    charged = stripe.books.invoices[sold["latest_invoice"]]["total"]
    assert shown
    assert shown[1] == f"{charged / 100:.2f}"
    assert get_account(tenant).plan_id == "pro"
    assert "Confirming" not in look(owner, tenant)


def test_a_form_that_is_sent_twice_is_charged_and_written_down_once(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    subscribe(tenant, stripe, "starter")
    form = {
        "previewed_at": hidden(owner.get(place(tenant, "choose/pro/month/"), headers=HTMX), "previewed_at")
    }

    for _ in range(2):
        owner.post(place(tenant, "choose/pro/month/"), form, headers=HTMX)
    deliver_all(tenant, stripe)

    assert [action for _, _, action in list_audit(tenant)].count("billing.change_asked") == 1
    assert len(stripe.books.invoices) == 2


def test_time_that_nobody_paid_for_buys_no_other_plan(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    """Stripe would give credit for what is left of the unpaid month."""
    sold = subscribe(tenant, stripe, "pro")
    dialog = owner.get(place(tenant, "choose/starter/month/"), headers=HTMX)
    stripe.books.miss_payment(sold["id"])

    before_it_is_known = owner.post(
        place(tenant, "choose/starter/month/"), {"previewed_at": hidden(dialog, "previewed_at")}, headers=HTMX
    )
    deliver_all(tenant, stripe)
    after = owner.get(place(tenant, "choose/starter/month/"), headers=HTMX)

    assert before_it_is_known.status_code == 422
    assert "is not paid" in words(before_it_is_known)
    assert "is not paid" in words(after)
    assert "Pay the open invoice first." in owner.get(place(tenant)).content.decode()
    assert (
        stripe.books.get_price(sold).id == stripe.books.get_price(stripe.books.subscriptions[sold["id"]]).id
    )


def test_a_card_that_is_refused_leaves_the_plan_and_shows_the_invoice(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    subscribe(tenant, stripe, "starter")
    dialog = owner.get(place(tenant, "choose/pro/month/"), headers=HTMX)
    stripe.books.declines = True

    owner.post(place(tenant, "choose/pro/month/"), {"previewed_at": hidden(dialog, "previewed_at")})
    deliver_all(tenant, stripe)

    page = look(owner, tenant)
    assert "The change of plan waits for its payment" in page
    assert "Pay the invoice" in page
    assert get_account(tenant).plan_id == "starter"


def test_an_old_preview_is_shown_anew_before_anything_is_paid(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    subscribe(tenant, stripe, "starter")

    answer = owner.post(place(tenant, "choose/pro/month/"), {"previewed_at": "1700000000"}, headers=HTMX)

    assert answer.status_code == 422
    assert "This preview has expired" in words(answer)
    assert hidden(answer, "previewed_at") != "1700000000"
    assert stripe.books.subscriptions[standing(tenant).subscription_id]["pending_update"] is None
    assert not [
        request for request in stripe.asked if request.method == "POST" and "/subscriptions/" in request.path
    ]


def test_a_smaller_plan_says_what_is_over_quota_and_deletes_nothing(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    subscribe(tenant, stripe, "pro")
    with tenant.api() as api:
        bases = [new_base(api, f"Policies {number}") for number in range(31)]

    dialog = owner.get(place(tenant, "choose/starter/month/"), headers=HTMX)
    owner.post(place(tenant, "choose/starter/month/"), {"previewed_at": hidden(dialog, "previewed_at")})
    deliver_all(tenant, stripe)

    text = words(dialog)
    assert "Over quota under Starter" in text
    assert "31 knowledge bases are there and 30 are allowed" in text
    assert "You pay nothing now. Kept for the next invoices:" in text
    assert get_account(tenant).plan_id == "starter"
    with tenant.api() as api:
        wait_until(lambda: create_base_for_code(api) == 40304)
        assert upload_for_code(api, bases[0]) == 40304
        api.data("search/memory", {"user_id": "kim", "query": "policies", "knowledgebase_ids": bases[:1]})


def create_base_for_code(api: Api) -> int:
    return int(api.call("create/knowledgebase", {"knowledgebase_name": "One more"}).json()["code"])


def upload_for_code(api: Api, base: str) -> int:
    body = {"knowledgebase_id": base, "file": [file_item("a.md", b"# A")], "type": "document"}
    return int(api.call("add/knowledgebase-file", body).json()["code"])


def test_a_smaller_plan_counts_keys_and_what_the_month_has_used(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    subscribe(tenant, stripe, "pro")
    account, project = get_account(tenant), tenant.project
    ApiKey.objects.bulk_create(
        ApiKey(account=account, project=project, name=f"key {number}", digest=uuid4().bytes)
        for number in range(20)
    )
    with tenant_scope(account):
        UsageDay.objects.create(
            account=account,
            project=project,
            api_key=project.api_keys.first(),
            meter=Meter.ADD.value,
            day=get_today(),
            used=600_000,
        )

    text = words(owner.get(place(tenant, "choose/starter/month/"), headers=HTMX))

    assert "Messages added: 600,000 of 500,000 are used" in text
    assert "1 project has more API keys than the plan allows" in text


# The end.


def test_cancelling_asks_who_is_there_keeps_what_is_paid_and_is_taken_back(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    sold = subscribe(tenant, stripe)
    account = get_account(tenant)

    wrong = owner.post(place(tenant, "cancel/"), {"typed": "something else"})
    owner.post(place(tenant, "cancel/"), {"typed": account.name})
    deliver_all(tenant, stripe)

    assert wrong.status_code == 422
    page = look(owner, tenant)
    assert "The subscription ends on" in page
    assert get_account(tenant).plan_id == "pro"

    owner.post(place(tenant, "resume/"))
    deliver_all(tenant, stripe)

    assert not sold["cancel_at_period_end"]
    assert "ends on" not in look(owner, tenant)
    asked = [action for kind, _, action in list_audit(tenant) if kind == "member"]
    assert asked == ["billing.checkout_started", "billing.cancel_asked", "billing.resume_asked"]

    owner.post(place(tenant, "cancel/"), {"typed": account.name})
    stripe.books.end(sold["id"])
    deliver_all(tenant, stripe)
    assert get_account(tenant).plan_id == "free"
    assert "The subscription has ended" in look(owner, tenant)


def test_cancelling_needs_a_recent_sign_in(tenant: Tenant, owner: Client, stripe: StripeStandIn) -> None:
    subscribe(tenant, stripe)
    session = owner.session
    session["account_authentication_methods"] = [
        {"method": "password", "at": method["at"] - 3_600}
        for method in session["account_authentication_methods"]
    ]
    session.save()

    answer = owner.post(place(tenant, "cancel/"), {"typed": get_account(tenant).name})

    assert answer.status_code == 302
    assert "/reauthenticate/" in answer.headers["Location"]
    assert not stripe.books.subscriptions[standing(tenant).subscription_id]["cancel_at_period_end"]


def test_an_account_that_is_deleted_is_charged_no_more(
    tenant: Tenant, owner: Client, stripe: StripeStandIn
) -> None:
    sold = subscribe(tenant, stripe)
    account = get_account(tenant)
    delete, form = f"/a/{account.pk}/delete/", {"typed": account.name}

    stripe.failures = 99
    away = owner.post(delete, form)
    stripe.failures = 0
    owner.post(delete, form)

    assert away.status_code == 422
    assert "cannot be reached" in words(away)
    assert sold["status"] == "canceled"
    wait_until(lambda: not Account.objects.filter(pk=account.pk).exists())


def test_an_operator_who_changes_a_paid_plan_reads_that_the_subscription_goes_on(
    tenant: Tenant, stripe: StripeStandIn
) -> None:
    form = f"/admin/tenancy/account/{tenant.project.account_id}/plan/"
    operator = operator_client("tenancy.view_account", "tenancy.change_account")
    before = words(operator.get(form))

    subscribe(tenant, stripe)

    assert "subscription" not in before
    assert "The account pays for Pro." in words(operator.get(form))
