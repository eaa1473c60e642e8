"""The API's reference page: each operation can be read and tried, under our own content security policy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from tests.support.api_client import Tenant

# One after the other: Swagger UI resolves the description once more for each.
OPEN_EACH = """async () => {
  const operations = [...document.querySelectorAll('.opblock')]
  for (const one of operations) {
    one.querySelector('.opblock-summary-control').click()
    while (!one.querySelector('.responses-inner')) await new Promise((done) => setTimeout(done, 5))
  }
  return operations.map((one) => one.id.split('-').pop())
}"""
# Shown in place of the part before, by the page's own Swagger UI, which takes a second to load.
SHOW = "described => { ui.specActions.updateSpec(JSON.stringify(described)) }"
PATHS_AT_ONCE = 1


def split_description(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The description cut into parts, each with the components that it refers to.

    For each operation that is opened Swagger UI resolves the whole document anew, which takes seconds for one of this
    size. An answer that many operations give is shown with the first of them.
    """
    leave_out_repeated_answers(described)
    paths, components = list(described["paths"].items()), described["components"]
    for start in range(0, len(paths), PATHS_AT_ONCE):
        kept: dict[str, dict[str, Any]] = {"responses": {}, "schemas": {}}
        part = described | {
            "paths": dict(paths[start : start + PATHS_AT_ONCE]),
            "components": components | kept,
        }
        while new := [one for one in list_references(part) if one[1] not in kept[one[0]]]:
            for kind, name in new:
                kept[kind][name] = components[kind][name]
        yield part


def leave_out_repeated_answers(described: dict[str, Any]) -> None:
    shown = set()
    for operation in (one for item in described["paths"].values() for one in item.values()):
        for status, answer in [*operation["responses"].items()]:
            if answer.get("$ref") in shown:
                del operation["responses"][status]
            elif "$ref" in answer:
                shown.add(answer["$ref"])


def list_references(part: dict[str, Any]) -> list[tuple[str, str]]:
    return re.findall(r'#/components/(responses|schemas)/([^"]+)', json.dumps(part))


def test_every_operation_can_be_opened(page: Page, console_url: str) -> None:
    described = httpx.get(f"{console_url}/openapi.json", timeout=120, trust_env=False, verify=False).json()
    first, *others = split_description(described)
    page.route("**/openapi.json", lambda route: route.fulfill(json=first))
    page.goto("/api/docs/")
    expect_operations(page, first)
    for part in others:
        page.evaluate(SHOW, part)
        expect_operations(page, part)


def expect_operations(page: Page, part: dict[str, Any]) -> None:
    """Those of this part are there, and each opens."""
    names = [one["operationId"] for item in part["paths"].values() for one in item.values()]
    for name in names:
        expect(page.locator(f".opblock[id$='-{name}']")).to_be_visible()
    expect(page.locator(".opblock")).to_have_count(len(names))

    assert sorted(page.evaluate(OPEN_EACH)) == sorted(names)


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
