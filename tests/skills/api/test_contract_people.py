"""The people whom a client names, and the project's configuration."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from acontext import AcontextClient

from skills.models import Session, SpaceUser
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import AuditEvent, RequestLog
from tests.support.api_client import Tenant
from tests.support.skills.contract import archive, build_upload, get_refused_status, skill_md
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import wait_until_somebody_waits


def test_people_are_there_as_soon_as_they_are_named(agent: AcontextClient) -> None:
    sessions = [agent.sessions.create(user="kim") for _ in range(2)]
    agent.sessions.create(user="lee")

    people = agent.users.list()

    assert [user.identifier for user in people.items] == ["kim", "lee"]
    assert sessions[0].user_id == sessions[1].user_id == people.items[0].id
    assert agent.users.list(limit=1).has_more


@pytest.mark.parametrize(
    "identifier", ["kim@example.org", "a/b", "https://x.org//kim?a=1", "小明 #1", "ls", "a/"]
)
def test_with_a_person_goes_all_that_is_theirs(agent: AcontextClient, identifier: str) -> None:
    session = agent.sessions.create(user=identifier)
    space = agent.learning_spaces.create(user=identifier)
    skill = agent.skills.create(file=build_upload("visits"), user=identifier)
    shared = agent.skills.create(file=build_upload("visits"))

    counts = agent.users.get_resources(identifier).counts
    # Its own, and the two that the space began with.
    assert (counts.sessions_count, counts.skills_count, counts.disks_count) == (1, 3, 0)

    agent.users.delete(identifier)
    agent.users.delete(identifier)

    assert get_refused_status(agent.users.get_resources, identifier) == 404
    assert get_refused_status(agent.sessions.get_messages, session.id) == 404
    assert get_refused_status(agent.learning_spaces.get, space.id) == 404
    assert get_refused_status(agent.skills.get, skill.id) == 404
    assert agent.skills.get(shared.id).id == shared.id
    assert agent.users.list().items == []


@pytest.mark.parametrize("path", ["session", "learning_spaces"])
def test_who_is_named_while_they_are_deleted_is_a_new_person(
    agent: AcontextClient, http: httpx.Client, tenant: Tenant, path: str
) -> None:
    former = agent.sessions.create(user="kim").user_id

    with ThreadPoolExecutor(1) as beside:
        with tenant_scope(tenant.project):
            Session.objects.within(tenant.project).delete()
            SpaceUser.objects.within(tenant.project).filter(pk=former).delete()
            created = beside.submit(http.post, path, json={"user": "kim"})
            wait_until_somebody_waits()
        answer = created.result()

    assert answer.status_code == 201, answer.text
    (kim,) = agent.users.list().items
    assert answer.json()["data"]["user_id"] == kim.id != former


def test_deleting_a_person_leaves_the_log_of_another_whose_identifier_begins_alike(
    agent: AcontextClient, http: httpx.Client, tenant: Tenant
) -> None:
    first, second = "x" * 150 + "-one", "x" * 150 + "-two"

    def name_in_all_calls(identifier: str) -> list[str]:
        body = {"user": identifier, "configs": {"note": "My door is green."}}
        session = http.post("session", json=body)
        refused = http.post("session", json=body | {"configs": 1})
        package = {"file": ("a.zip", archive({"SKILL.md": skill_md("visits")}))}
        skill = http.post("agent_skills", data={"user": identifier}, files=package)
        assert [answer.status_code for answer in (session, refused, skill)] == [201, 400, 201]
        return [answer.headers["x-request-id"] for answer in (session, refused, skill)]

    def read_log(ids: list[str]) -> list[bool]:
        return [bool(wait_for_log_row(tenant.project, request_id).request_body) for request_id in ids]

    logged = {identifier: name_in_all_calls(identifier) for identifier in (first, second)}
    assert [read_log(ids) for ids in logged.values()] == [[True] * 3] * 2

    agent.users.delete(first)

    assert [read_log(ids) for ids in logged.values()] == [[False] * 3, [True] * 3]


def test_deleting_a_person_erases_what_an_earlier_release_logged_of_a_long_identifier(
    agent: AcontextClient, http: httpx.Client, tenant: Tenant
) -> None:
    identifier = "x" * 150
    request_id = http.post("session", json={"user": identifier}).headers["x-request-id"]
    row = wait_for_log_row(tenant.project, request_id)
    with tenant_scope(tenant.project):
        rows = RequestLog.objects.within(tenant.project).filter(request_id=request_id)
        rows.update(subjects=[f"person:{identifier[:100]}"])
    assert row.request_body

    agent.users.delete(identifier)

    assert wait_for_log_row(tenant.project, request_id).request_body == ""


def test_an_identifier_has_a_length(http: httpx.Client) -> None:
    assert http.post("session", json={"user": "k" * 255}).status_code == 201
    assert http.post("session", json={"user": "k" * 256}).status_code == 400


def test_a_project_says_when_its_tasks_have_succeeded(agent: AcontextClient, http: httpx.Client) -> None:
    configs = agent.project.update_configs(
        {"task_success_criteria": "The user says thanks.", "own": {"a": 1}}
    )
    assert configs.task_success_criteria == "The user says thanks."

    agent.project.update_configs({"task_success_criteria": None, "task_failure_criteria": "The user leaves."})

    kept = http.get("project/configs").json()["data"]
    assert kept == {"own": {"a": 1}, "task_failure_criteria": "The user leaves."}
    for body in ({}, {"task_failure_criteria": "x" * 2_001}, {"task_failure_criteria": 1}):
        assert http.patch("project/configs", json=body).status_code == 400
    assert http.get("project/configs").json()["data"] == kept


def test_the_audit_log_says_which_configs_a_program_changed_and_by_which_key(
    agent: AcontextClient, tenant: Tenant
) -> None:
    for _ in range(2):
        agent.project.update_configs({"task_success_criteria": "The user says thanks.", "own": {"a": 1}})
    agent.project.update_configs({"own": None, "never": None})

    account = tenant.project.account
    with tenant_scope(account):
        rows = AuditEvent.objects.within(account).filter(action="project.settings_changed")
        written = list(rows.order_by("created_at").values_list("actor_kind", "object_id", "detail"))
    assert [(kind, project) for kind, project, _ in written] == [("key", tenant.project_id)] * 2
    assert [detail for *_, detail in written] == [
        {"section": "acontext", "keys": ["own", "task_success_criteria"]},
        {"section": "acontext", "keys": ["own"]},
    ]
