"""Owners and admins choose at which percents of a quota they get a mail, and get the mails they chose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core import mail
from django.db import connections
from django.test import Client, override_settings
from playwright.sync_api import Browser, Page, expect

from tenancy.isolation.scoping import tenant_scope
from tenancy.metering.alert_mail import send_alert_mails
from tenancy.metering.alerts import send_quota_alerts
from tenancy.models import Account, AuditEvent, Role, User
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.accounts.plans import give_plan
from tests.support.api_client import Api, Tenant
from tests.support.clients.parallel_calls import ASK, at_once
from tests.support.console.browser import sign_in as sign_in_page
from tests.support.console.journeys import visit


@pytest.fixture(autouse=True)
def mail_server() -> Iterator[None]:
    with override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend", HAS_MAIL=True):
        mail.outbox = []
        yield


def usage_page(tenant: Tenant) -> str:
    return f"/a/{tenant.project.account_id}/usage/"


def choose(tenant: Tenant, *percents: Any, client: Client | None = None) -> Any:
    client = client or sign_in_owner(tenant)
    return client.post(usage_page(tenant), {"thresholds": list(map(str, percents))}, follow=True)


def load_account(tenant: Tenant) -> Account:
    return Account.objects.select_related("plan").get(pk=tenant.project.account_id)


def send_due_mails(tenant: Tenant) -> list[int]:
    """The percents of the mails that the worker's next round sends."""
    mail.outbox = []
    send_quota_alerts(load_account(tenant), send_alert_mails)
    return [int(match[1]) for message in mail.outbox if (match := re.match(r"(\d+)%", message.subject))]


def list_changes(tenant: Tenant) -> list[dict[str, Any]]:
    with tenant_scope(tenant.project.account):
        events = AuditEvent.objects.within(tenant.project.account).filter(action="account.alerts_changed")
        return [event.detail for event in events.order_by("created_at")]


def read_boxes(html: str) -> dict[int, bool]:
    boxes = re.findall(r'<input type="checkbox" name="thresholds" value="(\d+)"([^>]*)>', html)
    return {int(percent): "checked" in rest for percent, rest in boxes}


def test_an_account_that_chose_nothing_gets_a_mail_at_each_threshold(tenant: Tenant, api: Api) -> None:
    give_plan(tenant, monthly_searches=5)
    assert read_boxes(sign_in_owner(tenant).get(usage_page(tenant)).content.decode()) == {
        50: True,
        80: True,
        100: True,
    }

    sent = []
    for _ in range(6):
        api.call("search/memory", ASK)
        sent += send_due_mails(tenant)

    assert sent == [50, 80, 100]


def test_a_threshold_that_is_off_sends_nothing(tenant: Tenant, api: Api) -> None:
    give_plan(tenant, monthly_searches=5)

    page = choose(tenant, 80).content.decode()

    assert "Saved." in page
    assert read_boxes(page) == {50: False, 80: True, 100: False}
    sent = []
    for _ in range(6):
        api.call("search/memory", ASK)
        sent += send_due_mails(tenant)
    assert sent == [80]


def test_without_any_threshold_no_mail_is_sent_and_pages_still_say_so(tenant: Tenant, api: Api) -> None:
    give_plan(tenant, monthly_searches=1)
    choose(tenant)
    api.call("search/memory", ASK)

    assert send_due_mails(tenant) == []
    assert "used up: Searches" in sign_in_owner(tenant).get(usage_page(tenant)).content.decode()


def test_a_threshold_that_is_turned_on_after_it_was_passed_sends_one_mail(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=5)
    choose(tenant, 50)
    at_once(tenant, "search/memory", [ASK] * 4)
    assert send_due_mails(tenant) == [50]

    choose(tenant, 50, 80, 100)

    assert send_due_mails(tenant) == [80]
    assert send_due_mails(tenant) == []
    choose(tenant, 50)
    choose(tenant, 50, 80)
    assert send_due_mails(tenant) == []


def test_a_lower_threshold_that_is_turned_on_after_a_higher_mail_sends_none(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=5)
    choose(tenant, 80)
    at_once(tenant, "search/memory", [ASK] * 4)
    assert send_due_mails(tenant) == [80]

    choose(tenant, 50, 80)

    assert send_due_mails(tenant) == []
    choose(tenant, 50)
    assert send_due_mails(tenant) == []


def test_a_lower_threshold_alone_sends_none_either_after_a_higher_mail(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=5)
    choose(tenant, 80)
    at_once(tenant, "search/memory", [ASK] * 4)
    assert send_due_mails(tenant) == [80]

    choose(tenant, 50)

    assert send_due_mails(tenant) == []


def test_a_mail_that_waits_for_the_server_is_not_sent_once_it_is_off(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    at_once(tenant, "search/memory", [ASK])

    def answer_nothing(*_: Any) -> None:
        raise ConnectionRefusedError

    send_quota_alerts(load_account(tenant), answer_nothing)
    choose(tenant, 50, 80)

    assert send_due_mails(tenant) == []
    choose(tenant, 50, 80, 100)
    assert send_due_mails(tenant) == [100]


def test_an_owner_whose_address_no_mail_can_name_keeps_no_mail_from_the_others(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    owner = get_owner(tenant)
    User.objects.filter(pk=owner.pk).update(email=f"{owner.pk}@{'ü' * 60}.de")
    at_once(tenant, "search/memory", [ASK])
    admin = add_member(tenant.project.account, Role.ADMIN)

    assert send_due_mails(tenant) == [100]
    assert [message.to for message in mail.outbox] == [[admin.email]]
    admin.memberships.all().delete()
    give_plan(tenant, monthly_searches=2)
    assert send_due_mails(tenant) == []  # nobody is left to get one, and the round goes on


def test_calls_that_pass_a_threshold_at_once_send_one_mail(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=2)
    choose(tenant, 100)
    at_once(tenant, "search/memory", [ASK] * 2)

    def run_round(_: int) -> None:
        try:
            send_quota_alerts(load_account(tenant), send_alert_mails)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(run_round, range(4)))

    (sent,) = mail.outbox
    assert "100%" in sent.subject
    assert f"{usage_page(tenant)}#alerts" in sent.body


def test_a_change_is_in_the_audit_log_once(tenant: Tenant) -> None:
    choose(tenant, 100, 50)
    choose(tenant, 50, 100)

    assert list_changes(tenant) == [
        {"before": {"alert_thresholds": [50, 80, 100]}, "after": {"alert_thresholds": [50, 100]}}
    ]
    page = sign_in_owner(tenant).get(f"/a/{tenant.project.account_id}/audit/").content.decode()
    assert "Quota alerts changed" in page
    assert "50, 80, 100" in page


def test_another_percent_is_refused_and_changes_nothing(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    for percents in ([37], [50, -1], ["all"]):
        assert choose(tenant, *percents, client=client).status_code == 422, percents
        assert load_account(tenant).alert_thresholds == [50, 80, 100]


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.VIEWER])
def test_others_see_what_is_chosen_and_whom_to_ask(tenant: Tenant, role: Role) -> None:
    choose(tenant, 80)
    client = sign_in(add_member(tenant.project.account, role))

    page = client.get(usage_page(tenant)).content.decode()

    assert read_boxes(page) == {50: False, 80: True, 100: False}
    assert len(re.findall(r'name="thresholds"[^>]* disabled', page)) == 3
    assert "Only owners and admins can change this." in page
    assert choose(tenant, 50, client=client).status_code == 403
    assert load_account(tenant).alert_thresholds == [80]


def test_an_admin_changes_them_and_is_mailed_too(tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    admin = add_member(tenant.project.account, Role.ADMIN)
    add_member(tenant.project.account, Role.DEVELOPER)

    choose(tenant, 100, client=sign_in(admin))
    at_once(tenant, "search/memory", [ASK])

    send_due_mails(tenant)
    assert {address for message in mail.outbox for address in message.to} == {tenant.email, admin.email}


def test_another_accounts_setting_is_not_found(tenant: Tenant, stranger: Tenant) -> None:
    assert choose(tenant, 50, client=sign_in_owner(stranger)).status_code == 404
    assert load_account(tenant).alert_thresholds == [50, 80, 100]


def test_without_a_mail_server_the_page_says_that_none_is_sent(tenant: Tenant) -> None:
    hint = "This installation has no mail server"
    client = sign_in_owner(tenant)

    assert hint not in client.get(usage_page(tenant)).content.decode()
    with override_settings(HAS_MAIL=False):
        assert hint in client.get(usage_page(tenant)).content.decode()


def test_the_setting_is_in_chinese(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    client.post("/language/", {"language": "zh-hans"})

    page = client.get(usage_page(tenant)).content.decode()

    assert "达到以下用量时向所有者和管理员发送邮件" in page
    assert "Quota alerts" not in page


def test_without_scripts_a_threshold_is_turned_off(
    chromium_browser: Browser, console_url: str, tenant: Tenant
) -> None:
    with visit(chromium_browser, console_url, java_script_enabled=False) as page:
        sign_in_page(page, tenant)
        page.goto(usage_page(tenant))
        page.get_by_label("80%", exact=True).uncheck()
        page.locator("form", has=page.get_by_label("80%", exact=True)).get_by_role("button").click()

        expect(page.get_by_label("80%", exact=True)).not_to_be_checked()
        expect(page.get_by_label("50%", exact=True)).to_be_checked()

    assert load_account(tenant).alert_thresholds == [50, 100]


def test_on_a_phone_the_choice_fits_and_keeps_the_filters(signed_in: Page, tenant: Tenant) -> None:
    signed_in.set_viewport_size({"width": 390, "height": 800})
    signed_in.goto(f"{usage_page(tenant)}?by=day")
    card = signed_in.locator(".alerts-card")

    card.get_by_label("50%").uncheck()
    card.get_by_role("button", name="Save").click()

    expect(signed_in).to_have_url(re.compile(r"by=day#alerts$"))
    expect(signed_in.get_by_text("Saved.")).to_be_visible()
    expect(card.get_by_label("50%")).not_to_be_checked()
    expect(signed_in.get_by_role("heading", name="Quota alerts")).to_be_in_viewport()
    assert signed_in.evaluate("document.documentElement.scrollWidth") == 390
