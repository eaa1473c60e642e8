"""What sessions taught is in the files once, however often the workers are killed meanwhile; so is what they told."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from acontext import AcontextClient

from console.embedded.stack import Stack
from tests.support.api_client import Api
from tests.support.servers.model_server import Body, Reply, memories, proposal
from tests.support.skills.lessons import attached, pages
from tests.support.skills.reading_model import DONE, PLAY, Scripted
from tests.support.skills.talks import build_messages
from tests.support.waiting import LIMIT, let_time_pass, look_until, wait_until

CATS = ("Felix", "Minka", "Tiger", "Pixel", "Mochi")


@pytest.fixture
def agent(own: Stack, model: Scripted) -> Iterator[AcontextClient]:
    model.reads.clear()
    model.asked.clear()
    with AcontextClient(api_key=own.demo["api_key"], base_url=f"{own.url}/api/v1", timeout=LIMIT) as client:
        yield client


def say(agent: AcontextClient, session_id: str) -> None:
    for blob in build_messages(PLAY):
        agent.sessions.store_message(session_id, blob=blob)


def kill_the_worker(own: Stack) -> None:
    """Once it runs: the supervisor starts it again."""
    look_until(
        lambda: own.pids["worker"],
        lambda worker: worker is not None,
        otherwise="the worker does not come back",
    )
    own.kill("worker")


def test_killed_workers_lose_no_lesson_write_none_twice_and_forget_no_session_that_waits_to_be_read(
    own: Stack, agent: AcontextClient, model: Scripted
) -> None:
    """With the broker and the clock."""
    space, waiting = agent.learning_spaces.create(), agent.sessions.create()
    sessions = [attached(agent, space)[1] for _ in CATS]
    for session, cat in zip(sessions, CATS, strict=True):
        agent.sessions.store_message(
            session.id, blob={"role": "user", "content": f"I have a cat called {cat}."}
        )
    with ThreadPoolExecutor(len(sessions)) as aside:
        for session in sessions:
            aside.submit(agent.sessions.flush, session.id)
        wait_until(lambda: len(model.asked) > 0)
        say(agent, waiting.id)
        kill_the_worker(own)
        own.kill("valkey")
        own.kill("beat")
        let_time_pass(1.5, "the worker is killed in the middle of its work")
        kill_the_worker(own)

    for session in sessions:
        record = agent.learning_spaces.wait_for_learning(space.id, session_id=session.id, timeout=240)
        assert record.status == "completed"
    text = "\n".join(pages(agent, space, "user-general-facts").values())
    assert [text.count(cat) for cat in CATS] == [1] * len(CATS)
    wait_until(lambda: agent.sessions.messages_observing_status(waiting.id).observed == 3)
    assert [task.status for task in agent.sessions.get_tasks(waiting.id).items] == ["success"]


def test_a_worker_that_is_killed_while_it_reads_loses_and_doubles_nothing(
    own: Stack, agent: AcontextClient, model: Scripted
) -> None:
    model.reads = [Reply(delay=20), DONE]
    session = agent.sessions.create()
    say(agent, session.id)
    with ThreadPoolExecutor(1) as aside:
        flushing = aside.submit(agent.sessions.flush, session.id)
        wait_until(lambda: agent.sessions.messages_observing_status(session.id).in_process == 3)
        wait_until(lambda: len(model.asked_to("insert_task")) == 1)

        kill_the_worker(own)

        assert flushing.result().status in {200, 202}
    wait_until(lambda: agent.sessions.messages_observing_status(session.id).observed == 3)
    (task,) = agent.sessions.get_tasks(session.id).items
    assert (task.status, task.data.progresses) == ("success", ["The report was sent."])


def test_the_model_that_reads_sessions_reads_what_users_say_too(own: Stack, model: Scripted) -> None:
    def read(body: Body) -> Reply:
        is_asked = "By the sea" in str(body)
        return memories(proposal("The user lives by the sea.", 0)) if is_asked else model.otherwise

    model.distils = [read] * 5
    with Api(own.url, own.demo["api_key"]) as api:
        api.add("kim", "By the sea is where I live.")

        assert api.facts("kim", "Where does the user live?") == ["The user lives by the sea."]
