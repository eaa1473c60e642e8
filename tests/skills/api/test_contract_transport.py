"""What every call of the skill memory contract has in common."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from acontext import AcontextClient

from memories.values import TaskKind
from tests.support.api_client import Tenant
from tests.support.project import PROJECT_ROOT
from tests.support.skills.contract import NOBODY, build_upload, connect_http
from tests.support.skills.learning_task import bring_forward
from tests.support.waiting import LIMIT, wait_until

CALLS = [
    ("GET", "ping"),
    ("GET", "learning_spaces"),
    ("GET", f"learning_spaces/{NOBODY}"),
    ("PATCH", f"learning_spaces/{NOBODY}"),
    ("DELETE", f"learning_spaces/{NOBODY}"),
    ("POST", f"learning_spaces/{NOBODY}/learn"),
    ("GET", f"learning_spaces/{NOBODY}/sessions"),
    ("GET", f"learning_spaces/{NOBODY}/sessions/{NOBODY}"),
    ("GET", f"learning_spaces/{NOBODY}/skills"),
    ("DELETE", f"learning_spaces/{NOBODY}/skills/{NOBODY}"),
    ("GET", "session"),
    ("DELETE", f"session/{NOBODY}"),
    ("GET", f"session/{NOBODY}/messages"),
    ("POST", f"session/{NOBODY}/messages"),
    ("PATCH", f"session/{NOBODY}/messages/{NOBODY}/meta"),
    ("GET", f"session/{NOBODY}/task"),
    ("POST", f"session/{NOBODY}/flush"),
    ("GET", f"session/{NOBODY}/observing_status"),
    ("GET", f"session/{NOBODY}/token_counts"),
    ("GET", f"session/{NOBODY}/configs"),
    ("PUT", f"session/{NOBODY}/configs"),
    ("PATCH", f"session/{NOBODY}/configs"),
    ("GET", "agent_skills"),
    ("POST", "agent_skills"),
    ("GET", f"agent_skills/{NOBODY}"),
    ("DELETE", f"agent_skills/{NOBODY}"),
    ("GET", f"agent_skills/{NOBODY}/file"),
    ("GET", f"agent_skills/{NOBODY}/download_zip"),
    ("GET", "user/ls"),
    ("GET", "user/kim/resources"),
    ("DELETE", "user/kim"),
    ("GET", "project/configs"),
    ("PATCH", "project/configs"),
    ("GET", "learning_spaces/not-an-id"),
    ("GET", "sandbox"),
    ("POST", "no/such/address"),
    ("GET", ""),
]


def test_a_client_asks_whether_it_is_let_in(agent: AcontextClient) -> None:
    assert agent.ping() == "pong"


def test_the_program_of_the_api_page_runs(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (PROJECT_ROOT / "docs/api.md").read_text()
    program = next(
        text for text in re.findall(r"^```python\n(.*?)^```", page, re.S | re.M) if "acontext" in text
    )
    monkeypatch.setenv("ACONTEXT_API_KEY", tenant.key)
    monkeypatch.setenv("ACONTEXT_BASE_URL", f"{tenant.url}/api/v1/")

    namespace: dict[str, Any] = {}
    with ThreadPoolExecutor(1) as aside:
        running = aside.submit(exec, program, namespace)
        wait_until(lambda: running.done() or bring_forward(tenant, TaskKind.OBSERVE))
        running.result()
    namespace["client"].close()

    assert "name: user-general-facts" in capsys.readouterr().out


def test_without_a_key_every_address_says_so_before_anything_else(stack: object, tenant: Tenant) -> None:
    with httpx.Client(base_url=f"{tenant.url}/api/v1/", trust_env=False, timeout=LIMIT) as stranger:
        for headers in ({}, {"Authorization": "Bearer mpg-unknown"}, {"Authorization": tenant.key}):
            for method, path in CALLS:
                answer = stranger.request(method, path, headers=headers, content=b"{")
                assert answer.status_code == 401, path
                assert answer.json()["code"] == 401, path
                assert answer.json()["msg"], path


def test_a_slash_at_the_end_changes_nothing_and_nothing_redirects(http: httpx.Client) -> None:
    for method, path in CALLS:
        plain, slashed = http.request(method, path), http.request(method, f"{path}/")
        assert plain.status_code == slashed.status_code, path
        assert plain.status_code < 300 or plain.status_code >= 400, path
        assert "application/json" in slashed.headers["content-type"], path


def test_what_is_not_there_is_404_in_the_envelope(http: httpx.Client) -> None:
    assert http.get(f"learning_spaces/{NOBODY}").json() == {"code": 404, "msg": "learning space not found"}
    for method, path in (
        ("GET", "sandbox"),
        ("POST", f"session/{NOBODY}/copy"),
        ("PUT", "no/such"),
        ("GET", ""),
    ):
        answer = http.request(method, path)
        assert (answer.status_code, answer.json()["code"]) == (404, 404), path
    wrong = http.put("learning_spaces", json={})
    assert (wrong.status_code, wrong.json()["code"]) == (405, 405)


def test_a_body_that_is_too_large_is_told_in_the_same_envelope(http: httpx.Client) -> None:
    answer = http.post("session", content=b" " * (11 * 1024 * 1024))

    assert (answer.status_code, answer.json()["code"]) == (413, 413)


def test_one_project_sees_nothing_of_another(agent: AcontextClient, stranger: Tenant) -> None:
    space, session = agent.learning_spaces.create(), agent.sessions.create(user="kim")
    message = agent.sessions.store_message(session.id, blob={"role": "user", "content": "Hi"})
    skill = agent.skills.create(file=build_upload("visits"))
    agent.learning_spaces.learn(space.id, session_id=session.id)
    theirs = [
        ("GET", f"learning_spaces/{space.id}", None),
        ("PATCH", f"learning_spaces/{space.id}", {"meta": {}}),
        ("DELETE", f"learning_spaces/{space.id}", None),
        ("POST", f"learning_spaces/{space.id}/learn", {"session_id": session.id}),
        ("GET", f"learning_spaces/{space.id}/sessions", None),
        ("GET", f"learning_spaces/{space.id}/sessions/{session.id}", None),
        ("GET", f"learning_spaces/{space.id}/skills", None),
        ("POST", f"learning_spaces/{space.id}/skills", {"skill_id": skill.id}),
        ("DELETE", f"learning_spaces/{space.id}/skills/{skill.id}", None),
        ("DELETE", f"session/{session.id}", None),
        ("GET", f"session/{session.id}/messages", None),
        ("POST", f"session/{session.id}/messages", {"blob": {"role": "user", "content": "Hi"}}),
        ("PATCH", f"session/{session.id}/messages/{message.id}/meta", {"meta": {}}),
        ("GET", f"session/{session.id}/task", None),
        ("POST", f"session/{session.id}/flush", None),
        ("GET", f"session/{session.id}/observing_status", None),
        ("GET", f"session/{session.id}/token_counts", None),
        ("GET", f"session/{session.id}/configs", None),
        ("PUT", f"session/{session.id}/configs", {"configs": {}}),
        ("PATCH", f"session/{session.id}/configs", {"configs": {}}),
        ("GET", f"agent_skills/{skill.id}", None),
        ("DELETE", f"agent_skills/{skill.id}", None),
        ("GET", f"agent_skills/{skill.id}/file?file_path=SKILL.md", None),
        ("GET", f"agent_skills/{skill.id}/download_zip", None),
        ("GET", "user/kim/resources", None),
    ]

    with connect_http(stranger) as other:
        for method, path, body in theirs:
            foreign = other.request(method, path, json=body)
            made_up = other.request(
                method,
                path.replace(space.id, NOBODY).replace(session.id, NOBODY).replace(skill.id, NOBODY),
                json=body,
            )
            assert foreign.status_code == 404, path
            assert foreign.json() == made_up.json(), path
        for path in ("learning_spaces", "session", "agent_skills", "user/ls"):
            assert other.get(path).json()["data"]["items"] == []

    assert agent.learning_spaces.list_sessions(space.id)[0].session_id == session.id


@pytest.mark.parametrize("path", ["learning_spaces", "session", f"session/{NOBODY}/messages", "agent_skills"])
def test_an_idempotency_key_is_refused_because_it_would_have_no_effect(tenant: Tenant, path: str) -> None:
    with connect_http(tenant) as http:
        answer = http.post(path, json={}, headers={"Idempotency-Key": "k"})

        assert answer.status_code == 400
        assert "Idempotency-Key" in answer.text
        assert http.get("learning_spaces", headers={"Idempotency-Key": "k"}).status_code == 200


def test_a_key_that_may_only_read_changes_nothing(tenant: Tenant) -> None:
    from tenancy.keys.keys import create_key

    secret = create_key(tenant.project, "reader", scopes=("read",)).plaintext
    with connect_http(tenant, secret) as reader:
        assert reader.get("learning_spaces").status_code == 200
        assert reader.post("learning_spaces", json={}).status_code == 401
        assert reader.delete(f"session/{NOBODY}").status_code == 401


def test_calls_are_in_the_request_log_until_their_session_is_deleted(
    agent: AcontextClient, tenant: Tenant
) -> None:
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import RequestLog

    session = agent.sessions.create(user="kim")
    agent.sessions.store_message(session.id, blob={"role": "user", "content": "My cat is called Mog"})

    def logged() -> list[str]:
        with tenant_scope(tenant.project):
            rows = RequestLog.objects.within(tenant.project).filter(endpoint="v1/session/messages")
            return [row.request_body for row in rows]

    wait_until(lambda: any("Mog" in body for body in logged()))
    agent.sessions.delete(session.id)
    wait_until(lambda: logged() == [""])
