"""Forms of signing in and confirming, filled in by a browser."""

from __future__ import annotations

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import Page, expect

from tests.support.accounts.people import PASSWORD


def fill_in_login(page: Page, email: str, password: str = PASSWORD) -> None:
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def make_code(secret: str) -> str:
    """What an authenticator app shows now."""
    _before, now, _after = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, now)))


def confirm_password(page: Page, password: str) -> None:
    if "/reauthenticate/" in page.url:
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Confirm").click()


def activate_app(page: Page, password: str) -> str:
    """Sets up an authenticator app; returns its secret."""
    page.goto("/accounts/2fa/totp/activate/")
    confirm_password(page, password)
    secret = page.get_by_label("Setup key").input_value()
    page.get_by_label("Authenticator code").fill(make_code(secret))
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    return secret
