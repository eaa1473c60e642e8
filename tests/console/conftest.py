"""A real Chromium in front of the running Engram. Whatever a user must never meet fails the test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from console.embedded.stack import Stack
from tests.support.api_client import Tenant
from tests.support.console.browser import PATIENCE, Watch, new_profile, sign_in
from tests.support.installations import own_stack, own_web
from tests.support.servers import github_stand_in
from tests.support.servers.github_stand_in import open_github
from tests.support.servers.stripe_stand_in import KEY, PRICES, SECRET, StripeStandIn

# Playwright's loop lives in the tests' own thread; the tests' few queries between its calls hold nobody up.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# CI machines are slow and busy; an expectation that holds is not slowed down by this.
expect.set_options(timeout=PATIENCE)

VIEWPORT: ViewportSize = {"width": 1280, "height": 860}
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


def chromium() -> str:
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    assert path, "no Chromium: `make test` finds or installs one"
    return path


@pytest.fixture(scope="package")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An installation of these tests' own, which may be backed up, and whose processes may be stopped, frozen and read
    from."""
    with own_stack(tmp_path_factory.mktemp("own"), DRAIN_SECONDS="4", WEB_HUNG_SECONDS="12") as stack:
        yield stack


@pytest.fixture(scope="session")
def chromium_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def console_url(stack: Stack) -> str:
    return f"http://localhost:{stack.port}"


@pytest.fixture(scope="session")
def github() -> Iterator[str]:
    server = open_github()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def cashier() -> Iterator[StripeStandIn]:
    stand_in = StripeStandIn()
    yield stand_in
    stand_in.close()


@pytest.fixture(scope="session")
def connected(
    stack: Stack, github: str, cashier: StripeStandIn, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    """A web server that people enter through GitHub, and that collects money through Stripe."""
    sold = [price.split("_")[1:] for price in PRICES]
    variables = {
        "GITHUB_CLIENT_ID": "engram",
        "GITHUB_CLIENT_SECRET": github_stand_in.SECRET,
        "GITHUB_URL": github,
        "STRIPE_SECRET_KEY": KEY,
        "STRIPE_WEBHOOK_SECRETS": SECRET,
        "STRIPE_API_BASE": cashier.url,
        "STRIPE_PRICES": ",".join(f"{plan}:{per}=price_{plan}_{per}" for plan, per in sold),
    }
    with own_web(stack, tmp_path_factory.mktemp("connected"), **variables) as web:
        yield web


@pytest.fixture(scope="session")
def one_profile(chromium_browser: Browser, console_url: str) -> Iterator[BrowserContext]:
    context = new_profile(chromium_browser, console_url, viewport=VIEWPORT)
    yield context
    context.close()


@pytest.fixture
def page(one_profile: BrowserContext, console_url: str) -> Iterator[Page]:
    """As good as new, but in the process of the one before, to start which costs twice what a page does, and with the
    files that every page has."""
    page = next(iter(one_profile.pages), None) or one_profile.new_page()
    watch = Watch(page, console_url)
    yield page
    watch.end()
    _forget(page, console_url)
    assert watch.troubles == []


def _forget(page: Page, console_url: str) -> None:
    """Everything that a test may have left in the page and its profile."""
    profile = page.context
    for popup in profile.pages:
        if popup != page:
            popup.close()
    page.unroute_all()
    page.goto(f"{console_url}/healthz")  # the same origin, so that the process stays
    page.evaluate("sessionStorage.clear()")
    page.set_viewport_size(VIEWPORT)
    page.set_extra_http_headers({})
    page.emulate_media(color_scheme="light")
    session = profile.new_cdp_session(page)
    kept = {"origin": console_url, "storageTypes": "local_storage,indexeddb,service_workers"}
    session.send("Storage.clearDataForOrigin", kept)
    session.detach()
    profile.clear_cookies()
    profile.clear_permissions()


@pytest.fixture
def passkey(page: Page) -> Iterator[None]:
    """Plugged in, and its owner at hand."""
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    yield
    devices.detach()


@pytest.fixture
def signed_in(page: Page, tenant: Tenant) -> Page:
    """The tenant's owner, in their console."""
    sign_in(page, tenant)
    return page
