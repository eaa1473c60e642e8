"""Sessions that are read: tasks, plans and preferences, as the published client sees them."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID

from acontext import AcontextClient
from django.utils import timezone

from tests.support.api_client import Tenant
from tests.support.skills.contract import connect_client, flush
from tests.support.skills.rows import idle_at, load_planning
from tests.support.skills.talks import tell
from tests.support.waiting import let_time_pass, wait_until

DEPLOY = """
U: Please deploy the API to staging.
A: I'll start the deployment.
C: deploy {"env": "stagin"}
R: deploy Error: environment not found
C: deploy {"env": "staging"}
R: deploy {"status": "ok"}
A: The API is deployed to staging.
U: Thanks, it works!
"""


def read(agent: AcontextClient, session_id: str) -> None:
    flushed = flush(agent, session_id)
    assert (flushed.status, flushed.errmsg) == (200, "")


def list_tasks(agent: AcontextClient, session_id: str) -> list[tuple[int, str, str]]:
    items = agent.sessions.get_tasks(session_id).items
    return [(task.order, task.data.task_description, task.status) for task in items]


def counts(agent: AcontextClient, session_id: str) -> tuple[int, int, int]:
    status = agent.sessions.messages_observing_status(session_id)
    return status.observed, status.in_process, status.pending


def test_what_the_user_asked_for_becomes_a_task_with_the_agents_steps_as_its_notes(
    agent: AcontextClient,
    tenant: Tenant,
) -> None:
    session = agent.sessions.create()
    sent = tell(tenant, session.id, DEPLOY)

    read(agent, session.id)

    (task,) = agent.sessions.get_tasks(session.id).items
    assert (task.order, task.status, task.is_planning) == (1, "success", False)
    assert task.data.task_description == "Deploy the API to staging."
    assert task.data.progresses == [
        "I'll start the deployment.",
        'Called deploy(env="stagin")',
        "deploy failed: Error: environment not found",
        'Called deploy(env="staging")',
        "deploy worked on another try",
        "The API is deployed to staging.",
    ]
    assert agent.sessions.get_session_summary(session.id).count("<task id=") == 1
    raw = agent.sessions.get_messages(session.id, format="acontext").items
    assert [item["id"] for item in raw] == sent
    assert {item["task_id"] for item in raw} == {task.id}
    assert {item["session_task_process_status"] for item in raw} == {"success"}
    assert {item["meta"]["__source__"]["read_by"] for item in raw} == {"local-1"}
    assert counts(agent, session.id) == (len(sent), 0, 0)


def test_a_session_that_falls_silent_is_read_without_anybody_asking(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create()
    agent.sessions.store_message(session.id, blob={"role": "user", "content": "Please sort the photos."})
    first = idle_at(tenant, session.id)
    let_time_pass(0.3, "the session is not silent for long enough")
    tell(tenant, session.id, "A: They are sorted by date.")
    second = idle_at(tenant, session.id)
    wait_until(lambda: counts(agent, session.id) == (2, 0, 0))

    assert second - first >= timedelta(seconds=0.3), "each message begins the wait anew"
    assert timezone.now() >= second
    assert list_tasks(agent, session.id) == [(1, "Sort the photos.", "running")]


def test_many_messages_are_read_without_waiting_for_silence(agent: AcontextClient, tenant: Tenant) -> None:
    session = agent.sessions.create()
    tell(tenant, session.id, "U: Please count to a hundred.")
    tell(tenant, session.id, "\n".join(f"A: {number}" for number in range(15)))
    assert idle_at(tenant, session.id) <= timezone.now()

    wait_until(lambda: counts(agent, session.id) == (16, 0, 0))


def test_a_flush_reads_long_sessions_to_their_end_in_order(agent: AcontextClient, tenant: Tenant) -> None:
    session = agent.sessions.create()
    play = [f"U: Please rename file number {number}.\nA: Renamed it." for number in range(20)]
    tell(tenant, session.id, "\n".join(play))

    read(agent, session.id)

    tasks = agent.sessions.get_tasks(session.id, limit=200).items
    assert [task.data.task_description for task in tasks] == [
        f"Rename file number {number}." for number in range(20)
    ]
    assert [task.order for task in tasks] == list(range(1, 21))
    assert Counter(task.status for task in tasks) == {"success": 19, "running": 1}
    assert counts(agent, session.id) == (40, 0, 0)


def test_a_session_in_which_nothing_waits_is_flushed_at_once(agent: AcontextClient, tenant: Tenant) -> None:
    session, silent = agent.sessions.create(), agent.sessions.create(disable_task_tracking=True)
    tell(tenant, silent.id, "U: Please do not read this.")

    for idle_session in (session, silent):
        began = time.monotonic()
        read(agent, idle_session.id)
        assert time.monotonic() - began < 12  # half of what a flush waits for
        assert list_tasks(agent, idle_session.id) == []
    assert counts(agent, silent.id) == (0, 0, 0)


def test_a_flush_that_takes_too_long_says_so_and_the_work_goes_on(
    agent: AcontextClient, tenant: Tenant
) -> None:
    from skills.sessions.status import flush_session

    session = agent.sessions.create()
    tell(tenant, session.id, DEPLOY)

    flushed = flush_session(tenant.project, UUID(session.id), seconds=0)

    assert flushed.status == 202
    assert "8 messages are being read still" in flushed.reason
    wait_until(lambda: counts(agent, session.id) == (8, 0, 0))


def test_what_comes_later_goes_on_with_the_tasks_that_there_are(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create()
    tell(
        tenant, session.id, "U: Fix the login bug and update the changelog.\nA: I changed the login timeout."
    )
    read(agent, session.id)
    assert list_tasks(agent, session.id) == [
        (1, "Fix the login bug", "running"),
        (2, "Update the changelog.", "pending"),
    ]

    tell(tenant, session.id, "U: The login still does not work.")
    read(agent, session.id)
    assert list_tasks(agent, session.id)[0] == (1, "Fix the login bug", "failed")

    tell(tenant, session.id, "A: I corrected the login redirect.\nU: Great, the login works now.")
    read(agent, session.id)
    assert list_tasks(agent, session.id) == [
        (1, "Fix the login bug", "success"),
        (2, "Update the changelog.", "pending"),
    ]


def test_chinese_sessions_are_read_too(agent: AcontextClient, tenant: Tenant) -> None:
    session = agent.sessions.create()
    tell(
        tenant,
        session.id,
        """U: 我不吃香菜。帮我查一下北京明天的天气，然后订一家故宫附近的酒店
C: get_weather {"city": "北京"}
R: get_weather {"weather": "晴"}
A: 北京明天晴。
C: book_hotel {"near": "故宫"}
R: book_hotel {"error": "没有空房"}
C: book_hotel {"near": "王府井"}
R: book_hotel {"ok": true}
A: 故宫附近没有空房，已在王府井订好酒店。
U: 不错，谢谢！""",
    )

    read(agent, session.id)

    weather, hotel = agent.sessions.get_tasks(session.id).items
    assert (weather.status, hotel.status) == ("success", "success")
    assert hotel.data.task_description == "订一家故宫附近的酒店"
    assert "book_hotel 失败：没有空房" in (hotel.data.progresses or [])
    assert load_planning(tenant, session.id)["user_preferences"] == ["用户不吃香菜。"]


def test_preferences_and_plans_are_kept_on_a_task_that_no_list_shows(
    agent: AcontextClient, tenant: Tenant
) -> None:
    session = agent.sessions.create()
    tell(
        tenant,
        session.id,
        """U: Let's plan the trip first. I prefer trains over planes.
A: Sure. When do you travel?
U: In May. My name is Gus.
U: Now find a train to Vienna.
A: There is one at 9:00.""",
    )

    read(agent, session.id)

    assert list_tasks(agent, session.id) == [(1, "Find a train to Vienna.", "running")]
    assert load_planning(tenant, session.id)["user_preferences"] == [
        "The user prefers trains over planes.",
        "The user's name is Gus.",
    ]


def test_messages_that_come_from_all_sides_are_each_read_once(agent: AcontextClient, tenant: Tenant) -> None:
    session = agent.sessions.create()
    requests = [f"Please paint wall number {number}." for number in range(12)]

    def send(text: str) -> None:
        with connect_client(tenant) as client:
            client.sessions.store_message(session.id, blob={"role": "user", "content": text})
            client.sessions.store_message(session.id, blob={"role": "assistant", "content": "Painted it."})

    def hurry(_: int) -> int:
        with connect_client(tenant) as client:
            return int(flush(client, session.id).status)

    with ThreadPoolExecutor(6) as at_once:
        sending = [at_once.submit(send, text) for text in requests]
        flushing = [at_once.submit(hurry, number) for number in range(3)]
        for future in sending:
            future.result()
        assert {future.result() for future in flushing} == {200}
    read(agent, session.id)

    asked = [task.data.task_description for task in agent.sessions.get_tasks(session.id, limit=200).items]
    assert sorted(asked) == sorted(text.removeprefix("Please p").join(["P", ""]) for text in requests)
    assert counts(agent, session.id) == (24, 0, 0)
