"""J10: somebody protects their login by an authenticator app or a passkey, and signs out a device from afar."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.api_client import Tenant
from tests.support.console.browser import sign_in_by_form
from tests.support.console.journeys import visit
from tests.support.console.sign_in_forms import activate_app, confirm_password


@pytest.fixture
def signed_in(page: Page, tenant: Tenant) -> Page:
    """By the form: this is about signing in."""
    sign_in_by_form(page, tenant)
    return page


def sign_out(page: Page) -> None:
    page.context.clear_cookies()


def test_signing_in_asks_for_the_authenticators_code_or_a_recovery_code(
    signed_in: Page, tenant: Tenant
) -> None:
    activate_app(signed_in, tenant.password)
    codes = signed_in.get_by_label("Unused codes").input_value().split()
    sign_out(signed_in)

    signed_in.goto("/accounts/login/")
    signed_in.get_by_label("E-mail").fill(tenant.email)
    signed_in.get_by_label("Password", exact=True).fill(tenant.password)
    signed_in.get_by_role("button", name="Sign in", exact=True).click()
    expect(signed_in.get_by_role("heading", name="Two-factor authentication")).to_be_visible()
    signed_in.locator("input[name=code]").fill("000000")
    signed_in.get_by_role("button", name="Sign in").click()
    expect(signed_in.get_by_text("Incorrect code")).to_be_visible()
    signed_in.locator("input[name=code]").fill(codes[0])  # a recovery code does as well
    signed_in.get_by_role("button", name="Sign in").click()

    signed_in.wait_for_url("**/quickstart/")


@pytest.mark.usefixtures("passkey")
def test_a_passkey_signs_in_without_a_password(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto("/accounts/2fa/webauthn/add/")
    confirm_password(signed_in, tenant.password)
    signed_in.get_by_label("Name").fill("laptop")
    signed_in.get_by_label("Passwordless").check()
    signed_in.get_by_role("button", name="Add").click()
    heading = re.compile("Recovery codes|Passkeys and security keys")
    expect(signed_in.get_by_role("heading", name=heading)).to_be_visible()
    signed_in.goto("/accounts/2fa/webauthn/")
    expect(signed_in.get_by_text("laptop")).to_be_visible()
    sign_out(signed_in)

    signed_in.goto("/accounts/login/")
    signed_in.get_by_role("button", name="Sign in with a passkey").click()

    signed_in.wait_for_url("**/quickstart/")


def test_another_device_is_signed_out_from_here(
    signed_in: Page, tenant: Tenant, chromium_browser: Browser, console_url: str
) -> None:
    firefox = "Mozilla/5.0 (Android 15) Firefox/140.0"
    with visit(chromium_browser, console_url, user_agent=firefox) as phone:
        sign_in_by_form(phone, tenant)
        signed_in.goto("/me/")
        signed_in.get_by_role("link", name="Manage Sessions").click()
        expect(signed_in.get_by_text("This one")).to_be_visible()
        expect(signed_in.get_by_role("main").get_by_role("listitem")).to_have_count(2)

        signed_in.get_by_role("button", name="Sign out Firefox · Android").click()

        expect(signed_in.get_by_role("main").get_by_role("listitem")).to_have_count(1)
        phone.goto("/me/")
        expect(phone).to_have_url(re.compile("/accounts/login/"))
