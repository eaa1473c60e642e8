"""The quickstart names requests that were refused for their key, and sends its calls itself."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.utils.translation import override

from console.pages.project.quickstart_run import build_sample_body
from console.ui.texts.snippets import AGENTS, list_agent_snippets, render_snippet
from tenancy.keys.changes import KeyRules, issue_key
from tenancy.keys.keys import generate_key, revoke_key
from tenancy.keys.last_refused_request import load_last_refused_key
from tenancy.models import ApiKey, Role
from tests.support.accounts.people import add_member, get_owner, sign_in, sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import look_until


def send(tenant: Tenant, authorization: str) -> None:
    with tenant.api() as api:
        body = {"user_id": "kim", "query": "Where?"}
        answer = api.call("search/memory", body, headers={"Authorization": authorization})
    assert answer.status_code == 401


def radar(tenant: Tenant) -> str:
    page = sign_in_owner(tenant).get(f"/p/{tenant.project_id}/quickstart/progress/").content.decode()
    return html.unescape(page)


def wait_for_refusal(tenant: Tenant) -> None:
    look_until(lambda: load_last_refused_key(tenant.project.pk), bool, otherwise="no refusal was noted")


@pytest.mark.parametrize("header", ["{key}", "Api-Key {key}", "Key: {key}", "{key} Token"])
def test_a_missing_word_token_is_named(tenant: Tenant, header: str) -> None:
    send(tenant, header.format(key=tenant.key))

    wait_for_refusal(tenant)
    page = radar(tenant)
    assert "The word Token is missing" in page
    assert "/api/openmem/v1/search/memory" in page
    assert tenant.key[8:-4] not in page


@pytest.mark.parametrize(
    ("scheme", "change"), [("Token", "shorter"), ("Bearer", "other letter"), ("Token", "other secret")]
)
def test_a_wrong_secret_is_named(tenant: Tenant, scheme: str, change: str) -> None:
    key = tenant.key
    wrong = {
        "shorter": key[:-3],
        "other letter": key[:20] + ("a" if key[20] != "a" else "b") + key[21:],
        "other secret": key[:8] + generate_key()[8:],
    }[change]
    send(tenant, f"{scheme} {wrong}")

    wait_for_refusal(tenant)
    page = radar(tenant)
    assert "The key is not complete or mistyped" in page
    assert wrong[8:] not in page


def test_a_revoked_key_is_named_and_a_good_call_ends_it(tenant: Tenant, api: Api) -> None:
    new = issue_key(tenant.project, KeyRules("old", ("all",)), get_owner(tenant))
    revoke_key(new.key)
    send(tenant, f"Token {new.plaintext}")
    wait_for_refusal(tenant)
    assert "This key is revoked" in radar(tenant)

    answer = api.call("search/memory", {"user_id": "kim", "query": "Where?"})
    wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])

    assert "This key is revoked" not in radar(tenant)


def test_nobody_learns_of_keys_of_others(tenant: Tenant, stranger: Tenant) -> None:
    send(stranger, stranger.key)
    wait_for_refusal(stranger)
    shared = ApiKey.objects.get(project=stranger.project)
    ApiKey.objects.filter(project=tenant.project).update(public_id=shared.public_id)
    send(tenant, f"Token {stranger.key[:-2]}")  # could be a key of both
    send(tenant, f"Token {generate_key()}")
    send(stranger, f"Bearer {stranger.key[:8]}zzzz")
    mine = issue_key(tenant.project, KeyRules("mine", ("all",)), get_owner(tenant))
    send(tenant, mine.plaintext)  # behind the others

    wait_for_refusal(tenant)

    assert mine.key.hint in radar(tenant)
    assert "The word Token is missing" in radar(stranger)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("call", ["add", "search"])
def test_the_page_sends_what_its_snippet_sends(call: str, language: str) -> None:
    with override(language):
        text, body = render_snippet(f"{call}/curl"), build_sample_body(call)

    sent = json.loads(re.search(r"-d '(.*)'", text, re.DOTALL)[1])  # type: ignore[index]

    assert sent == body
    assert ("上海" in text or "用户" in text) == (language == "zh-hans")


def test_in_chinese_the_first_memory_is_chinese(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    client.cookies["django_language"] = "zh-hans"
    place = f"/p/{tenant.project_id}/quickstart/run/"

    client.post(f"{place}add/", headers={"HX-Request": "true"})
    page = look_until(
        lambda: client.post(f"{place}search/").content.decode(),
        lambda page: "上海" in page,
        otherwise="not found",
    )

    assert "靠窗" in page


def test_both_steps_run_by_a_click(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)
    place = f"/p/{tenant.project_id}/quickstart/run/"

    added = client.post(f"{place}add/", headers={"HX-Request": "true"})
    answer = client.post(f"{place}search/")

    assert '"task_id"' in html.unescape(re.sub("<[^>]+>", "", added.content.decode()))
    assert "Shanghai" in answer.content.decode()
    assert "<h1>" in answer.content.decode()
    (request_id,) = re.findall(r"/logs/([0-9a-f]{32})/", added.content.decode())
    row = wait_for_log_row(tenant.project, request_id)
    assert (row.origin, row.endpoint, row.charged, row.api_key_id) == ("console", "add/message", 1, None)


def test_viewers_cannot_run_the_steps(tenant: Tenant) -> None:
    client = sign_in(add_member(tenant.project.account, Role.VIEWER))

    page = client.get(f"/p/{tenant.project_id}/quickstart/").content.decode()

    assert "Only owners, admins and developers can send calls here." in page
    assert client.post(f"/p/{tenant.project_id}/quickstart/run/add/").status_code == 403


def test_every_agent_has_its_text() -> None:
    texts = {snippet.name: snippet.text for snippet in list_agent_snippets()}

    assert texts.keys() == {name for name, _, _ in AGENTS}
    assert all("/mcp" in texts[name] for name in ("claude", "cursor", "codex", "vscode", "gemini"))
    assert "YOUR_API_KEY" not in texts["prompt"]  # agents keep what they are given


def test_an_address_that_names_somebody_is_not_kept(tenant: Tenant) -> None:
    with tenant.api() as api:
        headers = {"Authorization": tenant.key}
        assert api.get("get/memory/kim-private@example.org", headers=headers).status_code == 401

    wait_for_refusal(tenant)
    page = radar(tenant)
    assert "/get/memory/{id}" in page
    assert "kim-private" not in page
