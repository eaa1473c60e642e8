"""No answer is without bounds: what does not fit comes with the next one, each thing once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import httpx
import pytest
from acontext import AcontextClient

from skills.api.large_answers import limit_large_answer
from skills.models import LearningRecord, Session, SessionMessage, SessionTask, Skill, SpaceSkill, SpaceUser
from tenancy.errors import RateLimited
from tenancy.ids import uuid7
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.skills.contract import connect_client, connect_http

MOST_BYTES = 8 * 1024 * 1024


def write_text(kilobytes: int) -> str:
    """Of few tokens: one word, again and again, is read in large pieces."""
    return "." * 1024 * kilobytes


def put_messages(tenant: Tenant, session_id: str, texts: list[str]) -> list[str]:
    """As the API stores them, without a request for each. Returns their ids."""
    with tenant_scope(tenant.project):
        session = Session.objects.within(tenant.project).get(public_id=session_id)
        rows = [
            SessionMessage(
                id=uuid7(),
                account_id=session.account_id,
                project_id=session.project_id,
                session=session,
                position=session.message_count + number,
                role="user",
                parts=[{"type": "text", "text": text}],
                kept={"format": "openai", "role": "user"},
                state="disable_tracking",
                tokens=len(text) // 4,
                row_bytes=len(text) + 100,
            )
            for number, text in enumerate(texts)
        ]
        SessionMessage.objects.bulk_create(rows)
        session.message_count += len(rows)
        session.save(update_fields=["message_count"])
    return [str(row.pk) for row in rows]


def iterate_pages(read: Callable[..., Any], *ids: str, **query: Any) -> Iterator[Any]:
    cursor = None
    while True:
        page = read(*ids, cursor=cursor, **query) if cursor else read(*ids, **query)
        yield page
        if not page.has_more:
            return
        cursor = page.next_cursor


def test_a_session_of_large_messages_is_read_in_answers_of_eight_megabytes(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create(disable_task_tracking=True)
    sizes = [5_000, 3_500, 9_000, 1, 700]
    ids = put_messages(tenant, session.id, [write_text(size) for size in sizes])

    for newest_first in (False, True):
        pages = list(iterate_pages(agent.sessions.get_messages, session.id, time_desc=newest_first))

        read = [message_id for page in (pages[::-1] if newest_first else pages) for message_id in page.ids]
        assert read == ids
        assert len(pages) > 3
        for page in pages:
            size = sum(len(item["content"]) for item in page.items)
            assert size <= MOST_BYTES or len(page.items) == 1


def test_a_session_that_fits_comes_whole_and_one_of_more_than_a_thousand_messages_does_not(
    agent: AcontextClient, tenant: Tenant
) -> None:
    fits, longer = agent.sessions.create(), agent.sessions.create()
    put_messages(tenant, fits.id, [f"Message {number}" for number in range(1_000)])
    ids = put_messages(tenant, longer.id, [f"Message {number}" for number in range(1_001)])

    whole = agent.sessions.get_messages(fits.id)
    assert (len(whole.items), whole.has_more, whole.next_cursor) == (1_000, False, None)
    first = agent.sessions.get_messages(longer.id)
    assert (first.ids, first.has_more) == (ids[:1_000], True)
    rest = agent.sessions.get_messages(longer.id, cursor=first.next_cursor)
    assert (rest.ids, rest.has_more) == (ids[1_000:], False)
    assert agent.sessions.get_token_counts(longer.id).total_tokens == sum(
        len(f"Message {number}") // 4 for number in range(1_001)
    )


def test_a_limit_of_messages_does_not_lift_the_limit_of_bytes(agent: AcontextClient, tenant: Tenant) -> None:
    session = agent.sessions.create()
    put_messages(tenant, session.id, [write_text(3_000) for _ in range(3)])

    page = agent.sessions.get_messages(session.id, limit=200)

    assert (len(page.items), page.has_more) == (2, True)


def test_people_are_listed_a_thousand_at_a_time(agent: AcontextClient, tenant: Tenant) -> None:
    project = tenant.project
    with tenant_scope(project):
        SpaceUser.objects.bulk_create(
            SpaceUser(id=uuid7(), account_id=project.account_id, project=project, identifier=f"user{number}")
            for number in range(1_005)
        )

    first, second = iterate_pages(agent.users.list)

    assert (len(first.items), len(second.items)) == (1_000, 5)
    assert len({user.id for page in (first, second) for user in page.items}) == 1_005


def whole_list(http: httpx.Client, path: str) -> list[list[Any]]:
    """The items of each answer of a list whose `data` are the items."""
    pages, cursor = [], ""
    while True:
        answer = http.get(path, params={"cursor": cursor} if cursor else {}).raise_for_status().json()
        pages.append(answer["data"])
        if not answer["has_more"]:
            assert "next_cursor" not in answer
            return pages
        cursor = answer["next_cursor"]


def test_the_sessions_of_a_space_are_listed_a_thousand_at_a_time(
    agent: AcontextClient, http: httpx.Client, tenant: Tenant
) -> None:
    space, project = agent.learning_spaces.create(), tenant.project
    keys = [uuid7() for _ in range(1_003)]
    own = {"account_id": project.account_id, "project_id": project.pk}
    with tenant_scope(project):
        Session.objects.bulk_create(Session(id=key, public_id=key, **own) for key in keys)
        LearningRecord.objects.bulk_create(
            LearningRecord(id=uuid7(), space_id=UUID(space.id), session_id=key, **own) for key in keys
        )

    pages = whole_list(http, f"learning_spaces/{space.id}/sessions")

    assert [len(page) for page in pages] == [1_000, 3]
    assert [record["session_id"] for page in pages for record in page] == [str(key) for key in keys]
    assert len(agent.learning_spaces.list_sessions(space.id)) == 1_000
    few = http.get(f"learning_spaces/{space.id}/sessions?limit=2&time_desc=true").json()
    assert [record["session_id"] for record in few["data"]] == [str(key) for key in keys[:-3:-1]]
    assert http.get(f"learning_spaces/{space.id}/sessions?limit=201").status_code == 400


def test_the_skills_of_a_space_are_listed_in_answers_of_eight_megabytes(
    agent: AcontextClient, http: httpx.Client, tenant: Tenant
) -> None:
    space = agent.learning_spaces.create()
    project = tenant.project
    own = {"account_id": project.account_id, "project_id": project.pk}
    skills = [
        Skill(
            id=uuid7(),
            origin="learned",
            name=f"s{n}",
            title="s",
            description="s",
            meta={"a": "x" * 60_000},
            **own,
        )
        for n in range(150)
    ]
    with tenant_scope(project):
        Skill.objects.bulk_create(skills)
        SpaceSkill.objects.bulk_create(
            SpaceSkill(id=uuid7(), space_id=UUID(space.id), skill=skill, **own) for skill in skills
        )

    pages = whole_list(http, f"learning_spaces/{space.id}/skills")

    assert len(pages) == 2
    assert [entry["name"] for page in pages for entry in page][2:] == [skill.name for skill in skills]
    assert len(http.get("agent_skills?limit=200").content) < MOST_BYTES * 1.1


def test_lists_of_sessions_and_tasks_with_large_objects_end_at_eight_megabytes(
    agent: AcontextClient, http: httpx.Client, tenant: Tenant
) -> None:
    project = tenant.project
    own = {"account_id": project.account_id, "project_id": project.pk}
    keys = [uuid7() for _ in range(200)]
    with tenant_scope(project):
        Session.objects.bulk_create(
            Session(id=key, public_id=key, configs={"a": "x" * 65_000}, **own) for key in keys
        )
        SessionTask.objects.bulk_create(
            SessionTask(
                id=uuid7(), session_id=keys[0], order=n + 1, data={"progresses": ["y" * 100_000]}, **own
            )
            for n in range(100)
        )

    for path, count in (("session", 200), (f"session/{keys[0]}/task", 100)):
        seen, cursor = 0, ""
        while True:
            query = {"limit": "200"} | ({"cursor": cursor} if cursor else {})
            answer = http.get(path, params=query)
            assert len(answer.content) < MOST_BYTES * 1.1
            page = answer.json()["data"]
            seen += len(page["items"])
            if not page["has_more"]:
                break
            cursor = page["next_cursor"]
        assert seen == count
        assert cursor


def test_large_answers_at_once_are_refused_beyond_two_and_others_are_served(
    agent: AcontextClient, tenant: Tenant, stranger: Tenant
) -> None:
    session = agent.sessions.create()
    put_messages(tenant, session.id, [write_text(2_000) for _ in range(4)])
    with connect_client(stranger) as other:
        small = other.sessions.create()
        put_messages(stranger, small.id, ["Hi"])

    def read(_: int) -> httpx.Response:
        with connect_http(tenant) as http:
            return http.get(f"session/{session.id}/messages")

    with ThreadPoolExecutor(6) as at_once, connect_http(stranger) as http:
        reading = [at_once.submit(read, number) for number in range(6)]
        while not all(future.done() for future in reading):
            assert http.get(f"session/{small.id}/messages").status_code == 200

    answers = [future.result() for future in reading]
    assert {answer.status_code for answer in answers} <= {200, 429}
    assert any(answer.status_code == 200 for answer in answers)
    for answer in answers:
        if answer.status_code == 429:
            assert answer.headers["retry-after"] == "1"
            # On a busy machine the account's share of the processor is used up before its answers are.
            assert re.search("at most 2 answers|too much of the processor", answer.json()["msg"])
    assert len(agent.sessions.get_messages(session.id).items) == 4


def test_a_turn_ends_with_its_answer_whatever_becomes_of_it() -> None:
    account, another, large = uuid7(), uuid7(), 2 * 1024 * 1024
    for _ in range(3):
        with (
            limit_large_answer(account, large),
            limit_large_answer(account, large),
            limit_large_answer(another, large),
            limit_large_answer(account, 1_000),
        ):
            pytest.raises(RateLimited, limit_large_answer(account, large).__enter__)
        with pytest.raises(ValueError, match="broken"), limit_large_answer(account, large):
            raise ValueError("broken")
