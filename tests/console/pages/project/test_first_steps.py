"""From sign-up to a recalled memory, in the browser and a terminal."""

from __future__ import annotations

import re
import subprocess
from uuid import uuid4

from playwright.sync_api import Page, expect


def sign_up(page: Page) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("E-mail").fill(f"{uuid4().hex}@example.org")
    page.get_by_label("Password").first.fill("a long enough passphrase")
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/quickstart/")


def copied(page: Page, panel: str) -> str:
    """The command that the page shows, key and all, as a person would copy it."""
    return page.locator(f"#{panel}-curl-code").inner_text()


def run(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)


def panels(page: Page) -> list[str]:
    ids = page.locator("pre[id$='-curl-code']").evaluate_all("all => all.map(one => one.id)")
    return [element_id.removesuffix("-curl-code") for element_id in ids]


def test_the_copied_commands_move_the_page_from_waiting_to_recalled(page: Page) -> None:
    sign_up(page)
    arrived = page.get_by_role("status", name="Activity")
    expect(arrived).to_contain_text("Waiting for your first request")
    expect(page.get_by_label("Your API key")).to_have_value(re.compile(r"^mpg-[0-9A-Za-z]{38}$"))
    add, search = panels(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    beyond = page.locator(f"#{add}-curl-code").evaluate("code => code.scrollWidth - code.clientWidth")
    assert beyond == 0

    first = run(copied(page, add))
    expect(arrived).to_contain_text("Received POST /add/message")
    expect(arrived).to_contain_text("Shanghai")
    second = run(copied(page, search))

    assert '"code":0' in first.stdout.replace(" ", "")
    assert "Shanghai" in second.stdout
    expect(arrived).to_contain_text("recalled")

    # The key is shown in this one page and never again.
    field = page.get_by_label("Your API key")
    plaintext = field.input_value()

    page.get_by_role("link", name="API keys").click()

    expect(page.get_by_role("heading", name="API keys")).to_be_visible()
    page.wait_for_load_state()
    assert plaintext not in page.content()
    assert plaintext[-4:] in page.content()
