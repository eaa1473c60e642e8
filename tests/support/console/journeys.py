"""What journeys share: visits with a profile of their own, the clipboard, a terminal, the Tab key."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from tests.support.console.browser import Watch, new_profile

MOST_TABS = 150


@contextmanager
def visit(browser: Browser, home: str, **options: Any) -> Iterator[Page]:
    """A page of another person or device; whatever a user must never meet fails the test."""
    with new_profile(browser, home, **options) as profile:
        page = profile.new_page()
        watch = Watch(page, home)
        yield page
        watch.end()
        assert watch.troubles == []


def copied(page: Page, button: Locator) -> str:
    """What is in the clipboard after the button was pressed."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button.click()
    button.locator("..").get_by_role("status").filter(has_text="Copied").wait_for()
    return str(page.evaluate("navigator.clipboard.readText()"))


def run_in_terminal(command: str) -> str:
    """What the pasted command prints."""
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def tab_to(page: Page, target: Locator) -> None:
    """Presses Tab until the focus is there."""
    target.wait_for()
    for _ in range(MOST_TABS):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {target}")
