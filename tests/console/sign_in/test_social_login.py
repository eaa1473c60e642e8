"""Signing in through GitHub, on an installation that has its credentials; GitHub itself is a stand-in on loopback."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from console.embedded.stack import Stack
from console.sign_in import sign_up_settings
from tests.support.servers.github_stand_in import EMAIL, GitHub
from tests.support.servers.stripe_stand_in import StripeStandIn


@pytest.fixture
def own(connected: Stack) -> Stack:
    return connected


@pytest.fixture
def visitor(own: Stack) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=f"http://localhost:{own.port}",
        trust_env=False,
        verify=False,
        follow_redirects=True,
        timeout=120,
    ) as client:
        yield client


def press(client: httpx.Client, page: str, form: str) -> httpx.Response:
    """Sends the form on a page that leads to an address, as a browser does."""
    answer = client.get(page)
    shown = answer.text
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', shown)
    assert token, f"{answer.status_code}: {shown[:2_000]}"
    assert form in shown
    headers = {"Referer": f"{client.base_url}{page}"}
    return client.post(form, data={"csrfmiddlewaretoken": token[1]}, headers=headers)


def test_a_newcomer_comes_in_through_github_and_has_an_account(visitor: httpx.Client) -> None:
    landed = press(visitor, "/accounts/login/", "/accounts/github/login/?process=login")

    assert landed.status_code == 200
    assert landed.url.path.endswith("/quickstart/")
    assert "/login/oauth/access_token" in GitHub.asked
    assert EMAIL in visitor.get("/me/").text
    again = press_again(visitor)
    assert again.url.path == landed.url.path


def press_again(visitor: httpx.Client) -> httpx.Response:
    """The second time it is the same person."""
    visitor.cookies.clear()
    return press(visitor, "/accounts/login/", "/accounts/github/login/?process=login")


def test_the_page_lets_its_form_lead_there_and_nowhere_else(
    visitor: httpx.Client, github: str, cashier: StripeStandIn
) -> None:
    page = visitor.get("/accounts/login/")

    # To Stripe, because the installation collects money: the policy is the same on all pages.
    assert f"form-action 'self' {github} {cashier.url};" in page.headers["Content-Security-Policy"] + ";"
    assert "google" not in page.text.lower()


def test_an_answer_that_nobody_asked_for_lets_nobody_in(visitor: httpx.Client) -> None:
    answer = visitor.get("/accounts/github/login/callback/?code=code-1&state=made-up")

    assert answer.status_code in {200, 401, 403}
    assert visitor.get("/me/").url.path == "/accounts/login/"


def test_half_of_the_credentials_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_CLIENT_ID", "x")

    with pytest.raises(ImproperlyConfigured, match="go together"):
        sign_up_settings.read_social_providers()

    monkeypatch.setenv("GOOGLE_CLIENT_SECRET", "y")
    assert sign_up_settings.read_social_providers()["google"]["APPS"][0]["secret"] == "y"
    assert sign_up_settings.list_social_origins() == ["https://accounts.google.com"]
