"""What can be done to a key that is out, in the browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from playwright.sync_api import Page, expect

from tenancy.keys.keys import create_key
from tenancy.requests import log_search
from tests.support.accounts.people import get_owner, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.tasks.request_log import store_rows
from tests.support.waiting import wait_until

READ = ("get/memory", {"user_id": "kim"})


def keys_page(tenant: Tenant) -> str:
    return f"/p/{tenant.project_id}/api-keys/"


def shown_key(page: Page) -> str:
    field = page.locator("input[value^='mpg-']")
    expect(field).to_be_visible()
    return field.input_value()


def works(tenant: Tenant, plaintext: str) -> bool:
    with tenant.api(plaintext) as api:
        return api.call(*READ).status_code == 200


def choose(page: Page, key: str, action: str) -> None:
    """One item of the menu in a key's row."""
    page.get_by_role("button", name=f"Actions for {key}").click()
    page.locator(".row-menu:popover-open .menu-item").filter(has_text=action).click()


def test_a_key_with_rules_is_made_and_its_rules_are_shown(signed_in: Page, tenant: Tenant) -> None:
    """A wrong range is explained, and what was typed stays."""
    signed_in.goto(keys_page(tenant))
    signed_in.get_by_role("link", name="Create key").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("Name").fill("office")
    dialog.get_by_label("Access").select_option("read")
    dialog.get_by_text("Restrictions").click()
    dialog.get_by_label("Address ranges").fill("the office")
    dialog.get_by_role("button", name="Create key").click()
    expect(dialog.get_by_text("is not an address or a range").first).to_be_visible()
    expect(dialog.get_by_label("Name")).to_have_value("office")
    dialog.get_by_label("Address ranges").fill("203.0.113.0/24")
    dialog.get_by_label("Daily cap").fill("500")
    dialog.get_by_role("button", name="Create key").click()

    plaintext = shown_key(signed_in)
    row = signed_in.get_by_role("row").filter(has_text="office")
    expect(row).to_contain_text("Read only")
    expect(row).to_contain_text("500 a day")
    assert not works(tenant, plaintext)  # from here, which is not the office


def test_a_rotated_key_has_two_secrets_until_the_old_one_is_ended(signed_in: Page, tenant: Tenant) -> None:
    """After another dialog was closed, which gave the focus back to the menu."""
    old = create_key(tenant.project, "backend", created_by=get_owner(tenant)).plaintext
    signed_in.goto(keys_page(tenant))
    choose(signed_in, "backend", "Revoke key")
    expect(signed_in.get_by_role("dialog")).to_be_visible()
    signed_in.keyboard.press("Escape")
    expect(signed_in.get_by_role("button", name="Actions for backend")).to_be_focused()

    choose(signed_in, "backend", "Rotate key")
    signed_in.get_by_role("dialog").get_by_role("button", name="Rotate key").click()
    new = shown_key(signed_in)

    assert works(tenant, old)
    assert works(tenant, new)
    expect(signed_in.get_by_role("row").filter(has_text="backend")).to_contain_text("Rotating")
    choose(signed_in, "backend", "End old key now")
    expect(signed_in.get_by_text("The old key of “backend” no longer works.")).to_be_visible()
    wait_until(lambda: not works(tenant, old))
    assert works(tenant, new)


def test_the_drill_after_a_leak(signed_in: Page, tenant: Tenant) -> None:
    leaked = create_key(tenant.project, "backend", created_by=get_owner(tenant))
    assert works(tenant, leaked.plaintext)
    wait_until(lambda: bool(type(leaked.key).objects.get(pk=leaked.key.pk).last_used_address))
    signed_in.goto(keys_page(tenant))

    choose(signed_in, "backend", "Replace leaked key")
    dialog = signed_in.get_by_role("dialog")
    expect(dialog.get_by_role("table")).to_contain_text("127.0.0.1")
    dialog.get_by_role("button", name="Revoke and replace key").click()

    assert works(tenant, shown_key(signed_in))
    expect(signed_in.get_by_role("heading", name=re.compile("Where the revoked"))).to_be_visible()
    wait_until(lambda: not works(tenant, leaked.plaintext))


def test_a_leaked_key_is_replaced_though_the_log_takes_too_long_to_read(tenant: Tenant) -> None:
    leaked = create_key(tenant.project, "backend", created_by=get_owner(tenant))

    def time_out(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        if sql.startswith("SELECT") and "tenancy_requestlog" in sql:
            sql, values = "SET LOCAL statement_timeout = '1ms'; SELECT pg_sleep(60)", None
        return execute(sql, values, many, context)

    with connection.execute_wrapper(time_out):
        answer = sign_in_owner(tenant).post(
            f"{keys_page(tenant)}{leaked.key.pk}/leaked/", {"confirmed": "yes"}
        )

    page = answer.content.decode()
    assert "The request log could not be read in time." in page
    new = re.findall(r'value="(mpg-[^"]+)"', page)
    assert works(tenant, new[0])
    wait_until(lambda: not works(tenant, leaked.plaintext))


def test_of_a_busy_project_the_newest_requests_are_searched_for_a_key(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_search, "WINDOW", 3)
    key = create_key(tenant.project, "backend", created_by=get_owner(tenant)).key
    now = timezone.now()
    calls = [
        {
            "api_key": key,
            "address": f"203.0.113.{n}",
            "created_at": now - timedelta(minutes=n),
            "request_id": f"r{n}",
        }
        for n in range(1, 7)
    ]
    store_rows(tenant, *calls)
    owner = sign_in_owner(tenant)

    drill = owner.get(f"{keys_page(tenant)}{key.pk}/leaked/").content.decode()
    revoking = owner.get(f"{keys_page(tenant)}{key.pk}/revoke/").content.decode()

    cut = "Only the project's newest requests were searched, back to"
    assert cut in drill
    assert "203.0.113.1<" in drill
    assert "203.0.113.6" not in drill
    assert cut in revoking
    assert re.search(r"Requests in 24 h</dt><dd class=\"num\">4<", revoking)


def test_all_keys_are_revoked_at_once(signed_in: Page, tenant: Tenant) -> None:
    signed_in.goto(keys_page(tenant))

    signed_in.get_by_role("link", name="Revoke all keys").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("to confirm").fill(tenant.project.name)
    dialog.get_by_role("button", name=re.compile("^Revoke")).click()

    expect(signed_in.get_by_text(re.compile("(is|are) revoked"))).to_be_visible()
    wait_until(lambda: not works(tenant, tenant.key))


def test_permissions_and_the_last_day_are_asked_for_only_where_they_are_chosen(
    signed_in: Page, tenant: Tenant
) -> None:
    signed_in.goto(keys_page(tenant))
    signed_in.get_by_role("link", name="Create key").click()
    dialog = signed_in.get_by_role("dialog")
    dialog.get_by_label("Name").fill("trial")
    expect(dialog.get_by_role("checkbox").first).to_be_hidden()
    expect(dialog.get_by_label("Last day")).to_be_hidden()

    dialog.get_by_label("Access").select_option("custom")
    expect(dialog.get_by_role("checkbox").first).to_be_visible()
    dialog.get_by_label("Chat with memory").check()
    dialog.get_by_label("Expires").select_option("date")
    dialog.get_by_label("Last day").fill("2001-01-01")
    dialog.get_by_role("button", name="Create key").click()
    expect(dialog.get_by_text("Choose today or a later day.").first).to_be_visible()

    dialog.get_by_label("Last day").fill("2199-12-31")
    dialog.get_by_role("button", name="Create key").click()
    shown = shown_key(signed_in)
    with signed_in.expect_download() as saved:
        signed_in.get_by_role("link", name="Download .env").click()
    assert saved.value.suggested_filename == "engram.env"
    assert saved.value.path().read_text().splitlines()[0] == f"ENGRAM_API_KEY={shown}"
    key = tenant.project.api_keys.get(name="trial")
    assert key.scopes == ["chat"]
    assert f"{key.expires_at:%Y-%m-%d %H:%M}" == "2199-12-31 23:59"
