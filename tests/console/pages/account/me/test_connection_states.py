"""No network and an expired session are named, and what somebody typed stays on the page."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from tests.support.accounts.people import get_owner
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import new_profile, sign_in
from tests.support.console.knowledge_pages import choose, locate_upload
from tests.support.knowledge.knowledge import new_base

NAME = "night shift"


def open_key_form(page: Page, tenant: Tenant) -> None:
    page.goto(f"/p/{tenant.project_id}/api-keys/")
    page.get_by_role("link", name="Create key").click()
    page.get_by_role("dialog").get_by_label("Name").fill(NAME)


def submit(page: Page) -> None:
    page.get_by_role("dialog").get_by_role("button", name="Create key").click()


def test_without_a_network_the_page_says_so_and_what_was_typed_can_be_sent_later(
    chromium_browser: Browser, console_url: str, tenant: Tenant
) -> None:
    """In a profile of its own, where nobody counts the browser's own messages about the network."""
    with new_profile(chromium_browser, console_url) as profile:
        page = profile.new_page()
        sign_in(page, tenant)
        open_key_form(page, tenant)
        profile.set_offline(True)
        submit(page)
        state = page.get_by_role("alert").filter(has_text="No connection")
        expect(state).to_be_visible()
        expect(page.get_by_role("dialog").get_by_label("Name")).to_have_value(NAME)

        profile.set_offline(False)
        expect(state).to_be_hidden()
        submit(page)
        expect(page.locator("input[value^='mpg-']")).to_be_visible()


def test_after_the_session_expired_the_page_goes_on_where_it_was(signed_in: Page, tenant: Tenant) -> None:
    open_key_form(signed_in, tenant)
    cookies = signed_in.context.cookies()
    signed_in.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)
    submit(signed_in)
    state = signed_in.get_by_role("alert").filter(has_text="Session expired")
    expect(state).to_be_visible()
    expect(signed_in).to_have_url(f"/p/{tenant.project_id}/api-keys/")

    with signed_in.context.expect_page() as opened:
        state.get_by_role("link", name="Sign in").click()
    other = opened.value
    other.get_by_label("E-mail").fill(get_owner(tenant).email)
    other.get_by_label("Password", exact=True).fill(tenant.password)
    other.get_by_role("button", name="Sign in", exact=True).click()
    other.wait_for_url("**/api-keys/")
    assert other.context.cookies() != cookies  # a new session, and a new CSRF token
    other.close()

    signed_in.bring_to_front()
    resume = state.get_by_role("button", name="Continue here")
    resume.evaluate("button => button.checkVisibility() && button.click()")  # the page may go on by itself
    expect(state).to_be_hidden()
    expect(signed_in.get_by_role("dialog").get_by_label("Name")).to_have_value(NAME)
    submit(signed_in)
    expect(signed_in.locator("input[value^='mpg-']")).to_be_visible()
    assert tenant.project.api_keys.filter(name=NAME).count() == 1


def sign_in_anew_elsewhere(page: Page, tenant: Tenant) -> None:
    """In another tab, while this one asks for nothing: its forms have the token of the session before."""
    page.context.clear_cookies(name=settings.CSRF_COOKIE_NAME)
    sign_in(page, tenant)
    other = page.context.new_page()
    other.goto("/me/")
    other.close()


def test_after_signing_in_anew_in_another_tab_what_was_typed_can_be_saved(
    signed_in: Page, tenant: Tenant
) -> None:
    open_key_form(signed_in, tenant)
    sign_in_anew_elsewhere(signed_in, tenant)

    submit(signed_in)
    expect(signed_in.get_by_role("status", name="Notices")).to_contain_text("You are signed in again.")
    expect(signed_in.get_by_role("dialog").get_by_label("Name")).to_have_value(NAME)
    submit(signed_in)

    expect(signed_in.locator("input[value^='mpg-']")).to_be_visible()


@pytest.mark.parametrize("is_signed_in", [False, True], ids=["signed out", "signed in anew"])
def test_a_file_that_was_not_uploaded_for_want_of_a_session_is_sent_again(
    signed_in: Page, tenant: Tenant, api: Api, *, is_signed_in: bool
) -> None:
    base = new_base(api)
    signed_in.goto(f"/p/{tenant.project_id}/knowledge/{base}/")
    if is_signed_in:
        sign_in_anew_elsewhere(signed_in, tenant)
    else:
        signed_in.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    choose(signed_in, laptops__md=b"# Laptops\n\nAsk the IT desk.")

    upload = locate_upload(signed_in, "laptops.md")
    expect(upload).to_contain_text("The upload failed.")
    if not is_signed_in:
        state = signed_in.get_by_role("alert").filter(has_text="Session expired")
        expect(state).to_be_visible()
        sign_in_anew_elsewhere(signed_in, tenant)
        resume = state.get_by_role("button", name="Continue here")
        resume.evaluate("button => button.checkVisibility() && button.click()")
        expect(state).to_be_hidden()
    expect(signed_in.get_by_role("status", name="Notices")).to_contain_text("You are signed in again.")
    upload.get_by_role("button", name=re.compile("Try again")).click()
    expect(upload).to_contain_text("Uploaded.")


def test_a_chat_without_a_session_says_that_it_expired(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(f"/p/{tenant.project_id}/playground/")
    form = signed_in.get_by_role("main")
    form.get_by_label("End user").fill("kim")
    form.get_by_label("Question").fill("Where does the user live?")
    signed_in.context.clear_cookies(name=settings.SESSION_COOKIE_NAME)

    form.get_by_role("button", name="Stream chat").click()

    expect(signed_in.get_by_role("alert").filter(has_text="Session expired")).to_be_visible()
