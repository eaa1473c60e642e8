"""The API's reference page: each operation can be read and tried, under our own content security policy."""

from __future__ import annotations

import httpx
from playwright.sync_api import Page, expect

from tests.support.api_client import Tenant

# Swagger UI takes about a third of a second for each, and more where the machine is busy.
OPEN_ALL = "for (const one of document.querySelectorAll('.opblock-summary-control')) one.click()"


def test_every_operation_can_be_opened(page: Page, console_url: str) -> None:
    described = httpx.get(f"{console_url}/openapi.json", timeout=120, trust_env=False).json()["paths"]
    names = [operation["operationId"] for item in described.values() for operation in item.values()]
    page.goto("/api/docs/")
    expect(page.locator(".opblock")).to_have_count(len(names), timeout=120_000)

    page.evaluate(OPEN_ALL)

    expect(page.locator(".opblock.is-open .responses-inner")).to_have_count(len(names), timeout=400_000)
    for name in ("addMessage", "searchMemory", "createSession", "uploadSkill"):
        assert page.locator(f"[id$='-{name}'].opblock.is-open").count() == 1


def test_an_operation_can_be_tried_with_a_key(page: Page, tenant: Tenant) -> None:
    page.goto("/api/docs/")
    page.get_by_role("button", name="Authorize").first.click()
    page.locator("#auth-bearer-value").fill(tenant.key)
    page.get_by_role("button", name="Apply credentials").first.click()
    page.get_by_role("button", name="Close").first.click()
    operation = page.locator("[id$='-ping'].opblock")
    operation.locator(".opblock-summary-control").click()

    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()

    expect(operation.locator(".live-responses-table td.response-col_status").last).to_contain_text("200")
    expect(operation.locator(".live-responses-table")).to_contain_text('"success": true')
