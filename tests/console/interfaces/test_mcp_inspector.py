"""A developer tries `/mcp` with the official inspector, as docs/mcp.md shows it."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from console.interfaces.mcp.tool_definitions import TOOLS
from tests.support.accounts.oauth import Application, public_url
from tests.support.api_client import Api, Tenant
from tests.support.clients.inspector.inspector import Inspector
from tests.support.waiting import wait_until


@pytest.fixture
def inspector(tenant: Tenant, tmp_path: Path) -> Inspector:
    return Inspector(tenant.url, tmp_path, f"Authorization: Bearer {tenant.key}", "X-Engram-User: kim")


def test_the_tools_have_no_fault_that_the_inspector_knows(inspector: Inspector) -> None:
    done = inspector.run("tools/list", "--strict")

    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower()
    assert [tool["name"] for tool in json.loads(done.stdout)["tools"]] == list(TOOLS)


def test_what_it_adds_it_finds(inspector: Inspector, api: Api) -> None:
    task = inspector.call(
        "add_message",
        conversation_first_message="Hello.",
        messages=[{"role": "user", "content": "I repair church organs in Tartu."}],
    )["task_id"]
    wait_until(lambda: api.data("get/status", {"task_id": task})["status"] == "completed")

    answer = inspector.call(
        "search_memory", conversation_first_message="Hello.", query="What does the user repair?"
    )

    assert "Tartu" in answer["memory_detail_list"][0]["memory_value"]


def test_it_lists_prompts_and_resources(inspector: Inspector) -> None:
    prompts = inspector.read("prompts/list")["prompts"]
    resources = inspector.read("resources/list")["resources"]

    assert [prompt["name"] for prompt in prompts] == ["remember", "what_do_you_know"]
    assert resources == []


def test_a_refusal_names_the_field(inspector: Inspector) -> None:
    done = inspector.run(
        "tools/call",
        *("--tool-name", "search_memory"),
        *(
            "--tool-args-json",
            json.dumps({"query": "tea", "conversation_first_message": "Hi", "relativity": 9}),
        ),
    )

    assert done.returncode != 0
    assert "relativity" in done.stdout + done.stderr


def test_a_wrong_key_is_told_as_such(tenant: Tenant, tmp_path: Path) -> None:
    done = Inspector(tenant.url, tmp_path, "Authorization: Bearer mpg-wrong").run("tools/list")

    assert done.returncode != 0
    assert "auth_required" in done.stdout + done.stderr


def test_a_member_lets_it_in(tenant: Tenant, tmp_path: Path) -> None:
    application = Application(tenant)
    application.sign_in()
    # As the server names itself: tokens are meant for that address only.
    public = public_url(application.http)

    def consent(address: str) -> None:
        granted = application.consent(application.browser.get(address.removeprefix(public)))
        # The inspector listens there, as an application on the member's own machine does.
        httpx.get(granted.headers["Location"], trust_env=False, verify=False, timeout=120).raise_for_status()

    tools = Inspector(public, tmp_path).sign_in("tools/list", consent)["tools"]
    application.close()

    assert [tool["name"] for tool in tools] == list(TOOLS)
