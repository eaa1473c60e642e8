"""The API's reference page: each operation can be read and tried, under our own content security policy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
from playwright.sync_api import Page, Route, expect

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


PATHS_AT_ONCE = 9


def split_description(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The description cut into parts, each with the components that it refers to.

    For each operation that is opened Swagger UI resolves the whole document anew, which takes seconds for one of this
    size; loading its page for each operation would take as long.
    """
    paths = list(described["paths"].items())
    for start in range(0, len(paths), PATHS_AT_ONCE):
        schemas: dict[str, Any] = {}
        part = described | {
            "paths": dict(paths[start : start + PATHS_AT_ONCE]),
            "components": described["components"] | {"schemas": schemas},
        }
        while new := set(re.findall(r"#/components/schemas/([^\"]+)", json.dumps(part))) - set(schemas):
            schemas.update((name, described["components"]["schemas"][name]) for name in new)
        yield part


def test_every_operation_can_be_opened(page: Page, console_url: str) -> None:
    described = httpx.get(f"{console_url}/openapi.json", timeout=120, trust_env=False).json()
    part: dict[str, Any] = {}

    def answer(route: Route) -> None:
        route.fulfill(json=part)

    page.route("**/openapi.json", answer)
    for part in split_description(described):
        names = [one["operationId"] for item in part["paths"].values() for one in item.values()]
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
