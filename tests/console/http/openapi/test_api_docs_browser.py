"""The API's reference page: each operation can be read and tried, under our own content security policy."""

from __future__ import annotations

import httpx
from playwright.sync_api import Page, expect

from tests.support.api_client import Tenant

# One after the other: with each that stays open Swagger UI takes longer for the next.
OPEN_EACH = """async () => {
  const wait = (holds) => new Promise((done) => { const look = () => holds() ? done() : setTimeout(look, 5); look() })
  const opened = []
  for (const one of document.querySelectorAll('.opblock')) {
    const control = one.querySelector('.opblock-summary-control')
    control.click()
    await wait(() => one.querySelector('.responses-inner'))
    opened.push(one.id.split('-').pop())
    control.click()
    await wait(() => !one.classList.contains('is-open'))
  }
  return opened
}"""


def test_every_operation_can_be_opened(page: Page, console_url: str) -> None:
    described = httpx.get(f"{console_url}/openapi.json", timeout=120, trust_env=False).json()["paths"]
    names = [operation["operationId"] for item in described.values() for operation in item.values()]
    page.goto("/api/docs/")
    expect(page.locator(".opblock")).to_have_count(len(names), timeout=120_000)

    opened = page.evaluate(OPEN_EACH)

    assert sorted(opened) == sorted(names)


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
