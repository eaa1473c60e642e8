"""The API's reference page lists each operation, and lets it be tried, under our own content security policy."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from console.http.openapi.apis import APIS
from tests.support.api_client import Tenant


def test_every_operation_is_listed_and_can_be_tried_with_a_key(page: Page, tenant: Tenant) -> None:
    names = [operation.id for api in APIS for operation in api.operations]

    page.goto("/api/docs/")

    expect(page.locator(".opblock")).to_have_count(len(names))
    shown = page.locator(".opblock").evaluate_all("all => all.map((one) => one.id.split('-').pop())")
    assert sorted(shown) == sorted(names)
    expect(page.locator(".errors-wrapper")).to_have_count(0)
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
