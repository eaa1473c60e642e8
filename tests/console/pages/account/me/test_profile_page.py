"""Somebody changes their name, and looks where they are signed in."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant

# The element keeps what it shows in a tree of its own.
SHOWN_TIMES = """() => [...document.querySelectorAll("main relative-time")].map(
    time => time.shadowRoot?.textContent ?? "as it was sent"
)"""


def test_a_name_that_was_saved_is_said_to_be(signed_in: Page) -> None:
    signed_in.goto("/me/")
    signed_in.get_by_label("First name").fill("Ines")

    signed_in.get_by_role("button", name="Save").click()

    expect(signed_in.get_by_role("status", name="Notices")).to_contain_text("Saved.")
    expect(signed_in.get_by_label("First name")).to_have_value("Ines")


def test_sessions_are_listed_with_times_as_the_reader_counts_them(signed_in: Page) -> None:
    signed_in.goto("/accounts/sessions/")

    signed_in.wait_for_function("Boolean(customElements.get('relative-time'))")
    times = signed_in.evaluate(SHOWN_TIMES)

    assert times
    assert "as it was sent" not in times


def test_a_code_to_type_and_the_code_of_an_answer_are_two_words_in_chinese(tenant: Tenant) -> None:
    client, chinese = sign_in_owner(tenant), {"Accept-Language": "zh-Hans"}

    device = client.get("/device/", headers=chinese).content.decode()
    logs = client.get(f"/p/{tenant.project_id}/logs/", headers=chinese).content.decode()

    assert "验证码" in device
    assert "状态码" not in device
    assert "状态码" in logs
