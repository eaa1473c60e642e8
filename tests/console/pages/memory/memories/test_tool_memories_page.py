"""A developer sees which tools are known and how they were used."""

from __future__ import annotations

import json
import re
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from console.embedded.stack import Stack
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Message, Tenant, message
from tests.support.console.browser import sign_in, wait_until_still
from tests.support.tenants import make_tenant

SIDEWAYS = "(room => room.scrollWidth - room.clientWidth)(document.querySelector('.drawer-body'))"
SCHEMES: list[Literal["light", "dark"]] = ["light", "dark"]
WEATHER = {
    "name": "get_weather",
    "description": "Get the current weather of a city",
    "parameters": {"type": "object", "properties": {"location": {"type": "string"}}},
}


def call(call_id: str, **arguments: str) -> Message:
    function = {"name": "get_weather", "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def add_talk(api: Api) -> None:
    api.add(
        "kim",
        message("system", json.dumps([WEATHER])),
        message("user", "What is the weather in Lisbon?"),
        call("1", city="Lisbon", api_key="sk-1234567890abcdef1234"),
        message("tool", json.dumps({"error": "location is required"}), tool_call_id="1"),
        call("2", location="Lisbon"),
        message("tool", json.dumps({"temperature": "21°C"}), tool_call_id="2"),
    )


@pytest.fixture(scope="module")
def talked(stack: Stack) -> Tenant:
    """A project of one talk, at which each test only looks."""
    tenant = make_tenant(stack)
    with tenant.api() as api:
        api.add("kim", "I live in Lisbon.")
        add_talk(api)
    return tenant


@pytest.fixture
def reader(page: Page, talked: Tenant) -> Page:
    sign_in(page, talked)
    return page


def open_first(page: Page, tenant: Tenant, kind: str) -> None:
    page.goto(f"/p/{tenant.project_id}/memories/?tab=tools")
    row = page.get_by_role("row").filter(has_text=kind)
    row.get_by_role("link").first.click()
    expect(page.locator("#drawer .drawer")).to_be_visible()


def test_the_tools_tab_lists_runs_step_by_step_with_what_they_taught_and_their_calls(
    reader: Page, talked: Tenant
) -> None:
    reader.goto(f"/p/{talked.project_id}/memories/")
    reader.get_by_role("link", name=re.compile("^Tool memories")).click()
    table = reader.get_by_role("table")
    expect(table).to_contain_text("Tool schema")
    expect(table).to_contain_text("Tool run")
    expect(table).not_to_contain_text("lives in Lisbon")

    table.get_by_role("row").filter(has_text="Tool run").get_by_role("link").first.click()
    drawer = reader.locator("#drawer")
    steps = drawer.locator(".tool-steps > li")
    expect(steps).to_have_count(2)
    expect(steps.nth(0)).to_contain_text(re.compile("get_weather.*Failed.*invalid_argument", re.DOTALL))
    expect(steps.nth(0)).to_contain_text("location is required")
    expect(steps.nth(1)).to_contain_text(re.compile("Succeeded.*21°C", re.DOTALL))
    expect(drawer).to_contain_text("50% of its calls succeed")
    expect(drawer).to_contain_text("the argument was named location and not city")
    expect(drawer).not_to_contain_text("sk-1234567890")

    drawer.get_by_role("link", name="Sources").click()

    expect(drawer).to_contain_text('get_weather(location="Lisbon")')
    expect(drawer).not_to_contain_text("sk-1234567890")


def test_runs_and_schemas_as_they_were_offered_stand_at_every_width_in_both_themes(
    reader: Page, talked: Tenant
) -> None:
    for kind in ("Tool run", "Tool schema"):
        open_first(reader, talked, kind)
        wait_until_still(reader)

        for scheme in SCHEMES:
            reader.emulate_media(color_scheme=scheme)
            for width in (1280, 390, 320) if scheme == "light" else (320, 390, 1280):
                reader.set_viewport_size({"width": width, "height": 800})
                sideways = reader.evaluate(SIDEWAYS)
                assert sideways <= 0, (kind, scheme, width)

    drawer = reader.locator("#drawer")
    expect(drawer.locator(".statement")).to_have_text("Get the current weather of a city")
    written = drawer.locator("#tool-parameters").inner_text()
    assert json.loads(written) == WEATHER["parameters"]
    assert written.count("\n") > 4


@pytest.mark.parametrize("result", ['"a\\u0000b"', '"\\ud800"', "[" * 50_000], ids=["nul", "half", "lists"])
def test_a_run_is_kept_and_shown_whatever_a_tool_returned(tenant: Tenant, api: Api, result: str) -> None:
    api.add(
        "kim",
        message("user", "What is the weather in Lisbon?"),
        call("1", city="Lisbon"),
        message("tool", result, tool_call_id="1"),
    )

    client, place = sign_in_owner(tenant), f"/p/{tenant.project_id}/memories/?tab=tools"
    (opened,) = set(re.findall(r"open=([0-9a-f-]{36})", client.get(place).content.decode()))
    answer = client.get(f"{place}&open={opened}")

    assert answer.status_code == 200
    assert "get_weather" in answer.content.decode()
