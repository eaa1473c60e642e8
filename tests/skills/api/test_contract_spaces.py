"""Learning spaces as the published client sees them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from acontext import AcontextClient

from skills.catalogue.listing import find_skill
from skills.catalogue.write import delete_skill
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.skills.contract import NOBODY, build_upload, connect_http, get_refused_status
from tests.support.waiting import wait_until_somebody_waits


def test_a_new_space_has_the_two_skills_that_learning_begins_with(agent: AcontextClient) -> None:
    space = agent.learning_spaces.create(user="kim@example.org", meta={"team": "support"})

    daily, facts = agent.learning_spaces.list_skills(space.id)
    assert (daily.name, facts.name) == ("daily-logs", "user-general-facts")
    assert daily.user_id == facts.user_id == space.user_id
    for skill in (daily, facts):
        assert [file.path for file in skill.file_index] == ["SKILL.md"]
        read = agent.skills.get_file(skill_id=skill.id, file_path="SKILL.md")
        assert read.content is not None
        assert read.content.raw.startswith(f"---\nname: {skill.name}\n")


def test_spaces_are_found_changed_and_deleted_while_their_skills_stay(agent: AcontextClient) -> None:
    space = agent.learning_spaces.create(meta={"team": "support", "level": 1})

    changed = agent.learning_spaces.update(space.id, meta={"level": 2, "note": None})
    assert changed.meta == {"team": "support", "level": 2, "note": None}
    assert changed.updated_at > space.updated_at
    assert agent.learning_spaces.get(space.id) == changed

    skills = agent.learning_spaces.list_skills(space.id)
    agent.learning_spaces.delete(space.id)
    assert get_refused_status(agent.learning_spaces.get, space.id) == 404
    assert agent.skills.get(skills[0].id).name == "daily-logs"


def test_spaces_are_listed_page_by_page_by_person_and_by_what_their_meta_holds(agent: AcontextClient) -> None:
    made = [
        agent.learning_spaces.create(user="kim" if number % 2 else "lee", meta={"n": number, "in": {"a": 1}})
        for number in range(5)
    ]
    ids = [space.id for space in made]

    seen: list[str] = []
    page = agent.learning_spaces.list(limit=2)
    while True:
        seen += [space.id for space in page.items]
        if not page.has_more:
            break
        page = agent.learning_spaces.list(limit=2, cursor=page.next_cursor)
    assert seen == ids
    assert page.next_cursor is None
    newest = agent.learning_spaces.list(limit=2, time_desc=True)
    rest = agent.learning_spaces.list(limit=5, time_desc=True, cursor=newest.next_cursor)
    assert [space.id for space in [*newest.items, *rest.items]] == ids[::-1]

    assert [space.id for space in agent.learning_spaces.list(user="kim").items] == [ids[1], ids[3]]
    assert agent.learning_spaces.list(user="nobody").items == []
    by_meta = agent.learning_spaces.list(filter_by_meta={"n": 3, "in": {"a": 1}})
    assert [space.id for space in by_meta.items] == [ids[3]]
    assert agent.learning_spaces.list(filter_by_meta={"n": "3"}).items == []


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=x",
        "limit=-1",
        "cursor=x",
        "cursor=MTIz",
        "time_desc=perhaps",
        "filter_by_meta=[]",
        "filter_by_meta={",
        "user=%00",
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(http: httpx.Client, query: str) -> None:
    answer = http.get(f"learning_spaces?{query}")

    assert answer.status_code == 400
    assert answer.json()["code"] == 400


def test_a_session_is_learned_in_one_space_only(agent: AcontextClient) -> None:
    first, second = agent.learning_spaces.create(), agent.learning_spaces.create()
    session = agent.sessions.create()
    agent.sessions.store_message(session.id, blob={"role": "user", "content": "My name is Gus"})

    record = agent.learning_spaces.learn(first.id, session_id=session.id)

    assert (record.status, record.session_id, record.learning_space_id) == ("pending", session.id, first.id)
    for space in (first, second):
        assert get_refused_status(agent.learning_spaces.learn, space.id, session_id=session.id) == 409
    assert agent.learning_spaces.get_session(first.id, session_id=session.id).id == record.id
    assert [entry.id for entry in agent.learning_spaces.list_sessions(first.id)] == [record.id]
    assert agent.learning_spaces.list_sessions(second.id) == []
    assert get_refused_status(agent.learning_spaces.get_session, second.id, session_id=session.id) == 404


def test_anyone_who_waits_for_a_session_without_messages_is_let_go_at_once(agent: AcontextClient) -> None:
    space, session = agent.learning_spaces.create(), agent.sessions.create()
    silent = agent.sessions.create(disable_task_tracking=True)
    agent.sessions.store_message(silent.id, blob={"role": "user", "content": "Do not read this"})
    for empty_session in (session, silent):
        assert agent.learning_spaces.learn(space.id, session_id=empty_session.id).status == "pending"
        waited = agent.learning_spaces.wait_for_learning(space.id, session_id=empty_session.id, timeout=60)
        assert waited.status == "completed"

    agent.sessions.store_message(session.id, blob={"role": "user", "content": "Hello"})

    assert agent.learning_spaces.get_session(space.id, session_id=session.id).status == "pending"


def test_a_space_holds_each_skill_and_each_name_once(agent: AcontextClient) -> None:
    space = agent.learning_spaces.create()
    skill = agent.skills.create(file=build_upload("visits"))
    twin = agent.skills.create(file=build_upload("visits"))
    other = agent.skills.create(file=build_upload("contacts"))

    link = agent.learning_spaces.include_skill(space.id, skill_id=skill.id)
    agent.learning_spaces.include_skill(space.id, skill_id=other.id)

    assert (link.learning_space_id, link.skill_id) == (space.id, skill.id)
    for known in (skill, twin):
        assert get_refused_status(agent.learning_spaces.include_skill, space.id, skill_id=known.id) == 409
    names = [skill.name for skill in agent.learning_spaces.list_skills(space.id)]
    assert names == ["daily-logs", "user-general-facts", "visits", "contacts"]

    agent.learning_spaces.exclude_skill(space.id, skill_id=skill.id)
    agent.learning_spaces.exclude_skill(space.id, skill_id=skill.id)
    agent.learning_spaces.include_skill(space.id, skill_id=twin.id)
    assert agent.skills.get(skill.id).id == skill.id


def test_two_who_include_skills_of_one_name_at_once_do_not_both_succeed(
    agent: AcontextClient, tenant: Tenant
) -> None:
    space = agent.learning_spaces.create()
    twins = [agent.skills.create(file=build_upload("visits")) for _ in range(4)]

    def include(skill: Any) -> int:
        with connect_http(tenant) as http:
            return http.post(f"learning_spaces/{space.id}/skills", json={"skill_id": skill.id}).status_code

    with ThreadPoolExecutor(4) as at_once:
        statuses = sorted(at_once.map(include, twins))

    assert statuses == [201, 409, 409, 409]


def test_a_skill_that_is_deleted_in_the_same_moment_is_not_included(
    agent: AcontextClient, http: httpx.Client, tenant: Tenant
) -> None:
    space = agent.learning_spaces.create()
    skill = agent.skills.create(file=build_upload("visits"))

    with ThreadPoolExecutor(1) as beside:
        with tenant_scope(tenant.project):
            delete_skill(find_skill(tenant.project, skill.id))
            include = beside.submit(
                http.post, f"learning_spaces/{space.id}/skills", json={"skill_id": skill.id}
            )
            wait_until_somebody_waits()
        answer = include.result()

    assert (answer.status_code, answer.json()["msg"]) == (404, "no skill of this id")


def test_what_is_asked_of_a_space_must_be_there_and_be_an_id(
    agent: AcontextClient, http: httpx.Client
) -> None:
    space = agent.learning_spaces.create()
    session = agent.sessions.create()

    assert get_refused_status(agent.learning_spaces.learn, NOBODY, session_id=session.id) == 404
    assert get_refused_status(agent.learning_spaces.learn, space.id, session_id=NOBODY) == 404
    assert get_refused_status(agent.learning_spaces.learn, space.id, session_id="x") == 400
    assert get_refused_status(agent.learning_spaces.include_skill, space.id, skill_id=NOBODY) == 404
    assert get_refused_status(agent.learning_spaces.list_skills, NOBODY) == 404
    assert get_refused_status(agent.learning_spaces.list_sessions, NOBODY) == 404
    assert get_refused_status(agent.learning_spaces.exclude_skill, NOBODY, skill_id=NOBODY) == 404
    assert get_refused_status(agent.learning_spaces.get, "x") == 400
    assert http.patch(f"learning_spaces/{space.id}", json={}).status_code == 400
    assert http.patch(f"learning_spaces/{space.id}", json={"meta": {}}).status_code == 200
    assert http.post("learning_spaces", json={"meta": "x"}).status_code == 400
    assert http.post("learning_spaces", content=b"{").status_code == 400
    assert http.get(f"learning_spaces/{space.id.upper()}").json()["data"]["id"] == space.id
