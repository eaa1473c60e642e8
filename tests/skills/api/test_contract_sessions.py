"""Sessions and messages as the published client sees them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx
import pytest
from acontext import AcontextClient
from acontext.messages import build_acontext_message

from tests.support.api_client import Tenant
from tests.support.skills.contract import NOBODY, connect_http, flush, get_refused_status
from tests.support.skills.message_formats import ANTHROPIC, OPENAI


def said(agent: AcontextClient, session_id: str, *texts: str) -> list[str]:
    return [
        agent.sessions.store_message(session_id, blob={"role": "user", "content": text}).id for text in texts
    ]


def test_a_session_may_have_an_id_of_the_clients_choice(agent: AcontextClient) -> None:
    wanted = str(uuid4())

    made = agent.sessions.create(user="kim", use_uuid=wanted, configs={"agent": "bot1"})
    again = agent.sessions.create(use_uuid=wanted, configs={"agent": "bot2"})

    assert made.id == wanted
    assert again == made
    assert get_refused_status(agent.sessions.create, use_uuid="not an id") == 400


def test_sessions_are_listed_by_person_and_by_what_their_configs_hold(agent: AcontextClient) -> None:
    first = agent.sessions.create(user="kim", configs={"agent": "bot1", "on": True})
    second = agent.sessions.create(user="lee", configs={"agent": "bot1", "on": 1})
    third = agent.sessions.create()

    assert [session.id for session in agent.sessions.list().items] == [first.id, second.id, third.id]
    assert [session.id for session in agent.sessions.list(user="lee").items] == [second.id]
    by_configs = agent.sessions.list(filter_by_configs={"agent": "bot1", "on": True})
    assert [session.id for session in by_configs.items] == [first.id]
    assert agent.sessions.list(limit=1, time_desc=True).items[0].id == third.id


def test_configs_are_replaced_merged_and_kept_small(agent: AcontextClient) -> None:
    session = agent.sessions.create(configs={"a": 1, "b": None})

    assert agent.sessions.patch_configs(session.id, configs={"c": 3, "a": None}) == {"b": None, "c": 3}
    agent.sessions.update_configs(session.id, configs={"d": 4})
    assert agent.sessions.get_configs(session.id).configs == {"d": 4}
    assert get_refused_status(agent.sessions.patch_configs, session.id, configs={"e": "x" * 70_000}) == 400
    assert get_refused_status(agent.sessions.get_configs, NOBODY) == 404


def test_messages_come_back_as_they_went_one_after_the_other(agent: AcontextClient) -> None:
    session = agent.sessions.create()
    sent = [agent.sessions.store_message(session.id, blob=blob, meta={"n": 1}) for blob in OPENAI.values()]

    read = agent.sessions.get_messages(session.id)

    assert read.items == list(OPENAI.values())
    assert read.ids == [message.id for message in sent]
    assert read.metas == [{"n": 1}] * len(sent)
    assert not read.has_more
    assert read.this_time_tokens > 10
    assert read.edit_at_message_id == sent[-1].id
    assert [message.parent_id for message in sent] == [None, *read.ids[:-1]]
    raw = agent.sessions.get_messages(session.id, format="acontext", limit=2, time_desc=True)
    assert [item["id"] for item in raw.items] == read.ids[-2:]
    assert [item["parent_id"] for item in raw.items] == read.ids[-3:-1]
    assert {item["session_task_process_status"] for item in raw.items} <= {"pending", "running", "success"}
    assert agent.sessions.get_token_counts(session.id).total_tokens == read.this_time_tokens


def test_letters_numbers_and_signs_of_any_kind_read_back_as_they_were_sent(http: httpx.Client) -> None:
    session = http.post("session", json={}).json()["data"]["id"]
    blob = {"role": "user", "content": 'Grüße 你好 \U0001f600 "quoted" \\ \t\x7f\u2028'}
    meta = {"large": 2**70, "small": -1.5e-9, "nothing": None, "nested": [True, {"é": "\n"}]}

    http.post(f"session/{session}/messages", json={"blob": blob, "meta": meta}).raise_for_status()

    answer = http.get(f"session/{session}/messages")
    assert answer.json()["data"]["items"] == [blob]
    assert answer.json()["data"]["metas"] == [meta]
    assert "Grüße 你好" in answer.content.decode()  # not escaped


def test_messages_of_other_libraries_are_stored_and_given_back_too(agent: AcontextClient) -> None:
    session = agent.sessions.create()
    for blob in ANTHROPIC.values():
        agent.sessions.store_message(session.id, blob=blob, format="anthropic")
    assert agent.sessions.get_messages(session.id, format="anthropic").items == list(ANTHROPIC.values())

    own = build_acontext_message(role="user", parts=["Hello"], meta={"turn": 1})
    stored = agent.sessions.store_message(session.id, blob=own, format="acontext", meta={"seen": True})

    assert (stored.meta, stored.parts[0].text) == ({"seen": True}, "Hello")
    read = agent.sessions.get_messages(session.id, limit=1, time_desc=True, format="acontext")
    assert read.items[0]["meta"]["seen"]
    assert read.metas == [{"seen": True}]
    assert agent.sessions.get_messages(session.id, limit=1, time_desc=True).items == [
        {"role": "user", "content": "Hello"}
    ]


def test_each_message_puts_off_the_moment_at_which_a_session_counts_as_quiet(
    agent: AcontextClient, tenant: Tenant
) -> None:
    from skills.models import Session
    from tenancy.isolation.scoping import tenant_scope

    session = agent.sessions.create()

    def quiet_after_its_last_message() -> float:
        with tenant_scope(tenant.project):
            row = Session.objects.within(tenant.project).get(pk=session.id)
        return (row.idle_at - row.updated_at).total_seconds()

    said(agent, session.id, "one")
    assert quiet_after_its_last_message() == pytest.approx(8, abs=0.5)
    said(agent, session.id, "two")
    assert quiet_after_its_last_message() == pytest.approx(8, abs=0.5)


def test_a_page_of_messages_is_oldest_first_whatever_end_it_begins_at(agent: AcontextClient) -> None:
    session = agent.sessions.create()
    ids = said(agent, session.id, *"abcde")

    newest = agent.sessions.get_messages(session.id, limit=2, time_desc=True)
    older = agent.sessions.get_messages(session.id, limit=2, time_desc=True, cursor=newest.next_cursor)
    oldest = agent.sessions.get_messages(session.id, limit=2, time_desc=True, cursor=older.next_cursor)

    assert [newest.ids, older.ids, oldest.ids] == [ids[3:], ids[1:3], ids[:1]]
    assert [newest.has_more, older.has_more, oldest.has_more] == [True, True, False]
    forward = agent.sessions.get_messages(session.id, limit=3)
    rest = agent.sessions.get_messages(session.id, limit=3, cursor=forward.next_cursor)
    assert [forward.ids, rest.ids] == [ids[:3], ids[3:]]


def test_messages_that_are_stored_at_once_all_get_a_place(agent: AcontextClient, tenant: Tenant) -> None:
    session = agent.sessions.create()

    def store(number: int) -> int:
        with connect_http(tenant) as http:
            body = {"blob": {"role": "user", "content": str(number)}}
            return http.post(f"session/{session.id}/messages", json=body).status_code

    with ThreadPoolExecutor(4) as at_once:
        assert set(at_once.map(store, range(12))) == {201}

    raw = agent.sessions.get_messages(session.id, format="acontext").items
    assert len(raw) == 12
    assert [item["parent_id"] for item in raw] == [None, *(item["id"] for item in raw[:-1])]


def test_the_sender_notes_things_on_a_message_later(agent: AcontextClient) -> None:
    session = agent.sessions.create()
    message = agent.sessions.store_message(
        session.id, blob={"role": "user", "content": "Hi"}, meta={"a": 1, "b": 2}
    )

    changed = agent.sessions.patch_message_meta(session.id, message.id, meta={"a": None, "c": {"d": 1}})

    assert changed == {"b": 2, "c": {"d": 1}}
    assert agent.sessions.get_messages(session.id).metas == [changed]
    other = agent.sessions.create()
    assert get_refused_status(agent.sessions.patch_message_meta, other.id, message.id, meta={}) == 404


def test_what_waits_to_be_read_is_told_as_it_is(agent: AcontextClient) -> None:
    session, silent = agent.sessions.create(), agent.sessions.create(disable_task_tracking=True)
    said(agent, session.id, "one", "two")
    said(agent, silent.id, "three")

    waiting = agent.sessions.messages_observing_status(session.id)
    assert (waiting.observed, waiting.in_process, waiting.pending) == (0, 0, 2)
    flushed = flush(agent, session.id)
    assert (flushed.status, flushed.errmsg) == (200, "")
    read = agent.sessions.messages_observing_status(session.id)
    assert (read.observed, read.in_process, read.pending) == (2, 0, 0)
    assert agent.sessions.get_tasks(session.id).items == []
    assert agent.sessions.get_session_summary(session.id) == ""

    untracked = agent.sessions.messages_observing_status(silent.id)
    assert (untracked.observed, untracked.in_process, untracked.pending) == (0, 0, 0)
    assert (agent.sessions.flush(silent.id).status, agent.sessions.flush(silent.id).errmsg) == (200, "")


def test_tasks_are_listed_without_the_hidden_one_that_keeps_the_plans(
    agent: AcontextClient, tenant: Tenant
) -> None:
    from skills.models import Session, SessionTask
    from tenancy.isolation.scoping import tenant_scope

    session = agent.sessions.create()
    with tenant_scope(tenant.project):
        row = Session.objects.within(tenant.project).get(pk=session.id)
        owner = {"account_id": row.account_id, "project_id": row.project_id, "session": row}
        SessionTask.objects.create(**owner, order=0, is_planning=True, data={"user_preferences": ["tea"]})
        for order in (1, 2):
            content = {"task_description": f"Request {order}", "progresses": ["done"]}
            SessionTask.objects.create(**owner, order=order, status="success", data=content)

    page = agent.sessions.get_tasks(session.id, limit=1)

    assert [(task.order, task.data.task_description) for task in page.items] == [(1, "Request 1")]
    assert page.has_more
    assert agent.sessions.get_session_summary(session.id).count("<task id=") == 2


def test_a_deleted_session_takes_its_messages_and_its_record_along(
    agent: AcontextClient, http: httpx.Client
) -> None:
    space, session = agent.learning_spaces.create(), agent.sessions.create()
    said(agent, session.id, "Hello")
    agent.learning_spaces.learn(space.id, session_id=session.id)

    agent.sessions.delete(session.id)

    assert agent.learning_spaces.list_sessions(space.id) == []
    assert get_refused_status(agent.sessions.get_messages, session.id) == 404
    body = {"blob": {"role": "user", "content": "Hi"}}
    assert http.post(f"session/{session.id}/messages", json=body).json() == {
        "code": 404,
        "msg": "session not found",
    }


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"blob": "Hi"},
        {"blob": {"role": "user"}},
        {"blob": {"role": "user", "content": "Hi"}, "format": "gemini"},
        {"blob": {"role": "user", "content": "Hi"}, "meta": []},
        {"blob": {"role": "user", "content": "Hi"}, "meta": {"a": "x" * 70_000}},
    ],
)
def test_what_is_no_message_is_not_stored(http: httpx.Client, body: object) -> None:
    session_id = http.post("session", json={}).json()["data"]["id"]

    assert http.post(f"session/{session_id}/messages", json=body).status_code == 400
    assert http.get(f"session/{session_id}/messages").json()["data"]["items"] == []


def test_messages_are_not_given_in_ways_that_nobody_knows(http: httpx.Client) -> None:
    session_id = http.post("session", json={}).json()["data"]["id"]

    for query in ("format=gemini", "limit=201", "cursor=x", 'edit_strategies=[{"type":"middle_out"}]'):
        assert http.get(f"session/{session_id}/messages?{query}").status_code == 400
    for query in ("limit=0", "edit_strategies=[]", "with_events=true", "format=anthropic"):
        assert http.get(f"session/{session_id}/messages?{query}").status_code == 200
