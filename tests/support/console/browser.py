"""What tests of pages do in a browser: sign in, watch for errors, open pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Response

from tests.support.api_client import Tenant
from tests.support.waiting import LIMIT, look_until

# For what a page, or a worker behind it, takes: these limits, in milliseconds, only end a wait in vain.
PATIENCE = 120_000
# A spinner never stands still, and moves nothing else.
IS_STILL = """() => document.getAnimations().every(
    one => one.playState !== "running" || one.effect.getComputedTiming().endTime === Infinity
)"""
# A newer request ends the one before it, as does a page that is left; a request that fails says htmx:sendError as well.
ABORTED = ("htmx:sendAbort", "htmx:afterRequest")


class Watch:
    """Console errors, script errors, policy violations, 5xx and strangers' addresses, as they happen."""

    def __init__(self, page: Page, home: str) -> None:
        self.troubles: list[str] = []
        self._home = urlsplit(home).netloc
        self._page = page
        self._heard = {"console": self._said, "pageerror": self._failed, "response": self._answered}
        for event, hear in self._heard.items():
            page.on(event, hear)  # type: ignore[call-overload]

    def end(self) -> None:
        for event, hear in self._heard.items():
            self._page.remove_listener(event, hear)

    def _failed(self, error: Any) -> None:
        self.troubles.append(f"script: {error}")

    def _said(self, message: Any) -> None:
        # A refused form is 422 by design; the browser logs every 4xx as a failed resource.
        by_design = "status of 4" in message.text or message.text.startswith(ABORTED)
        if message.type == "error" and not by_design:
            self.troubles.append(f"console: {message.text}")

    def _answered(self, response: Response) -> None:
        if response.status >= 500:
            self.troubles.append(f"{response.status} {response.url}")
        place = urlsplit(response.url)
        if place.scheme in {"http", "https"} and place.netloc != self._home:
            self.troubles.append(f"outside: {response.url}")


def new_profile(browser: Browser, home: str, **options: Any) -> BrowserContext:
    """Another person's browser, or the same person's other device. The caller closes it."""
    profile = browser.new_context(base_url=home, **options)
    profile.set_default_timeout(PATIENCE)
    return profile


def wait_until_still(page: Page) -> None:
    """Until what slides or fades in is where it stays: boxes that are measured before lie elsewhere."""
    page.wait_for_function(IS_STILL)


def sign_in(page: Page, tenant: Tenant) -> None:
    """With a session that began elsewhere: the pages of the form, which have tests of their own, cost seconds each."""
    # Models are imported late: this file is read before there are settings.
    from django.conf import settings

    from tests.support.accounts.people import sign_in_owner

    session = sign_in_owner(tenant).cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies(
        [{"name": session.key, "value": session.value, "domain": "localhost", "path": "/"}]
    )


def sign_in_by_form(page: Page, tenant: Tenant) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("E-mail").fill(tenant.email)
    page.get_by_label("Password", exact=True).fill(tenant.password)
    page.get_by_role("button", name="Sign in").first.click()
    page.wait_for_url("**/quickstart/")


def open_until_there(page: Page, address: str, seconds: float = LIMIT) -> None:
    """As a person reloads a page that is not there yet: log entries are stored a moment after the answer."""

    def is_there() -> bool:
        answer = page.goto(address)
        return answer is None or answer.status != 404

    look_until(is_there, bool, seconds, f"{address} is still not there")
