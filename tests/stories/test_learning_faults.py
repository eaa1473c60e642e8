"""What sessions taught is in the files once, however often the workers are killed meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from acontext import AcontextClient

from console.embedded.stack import Stack
from tests.installations import own_stack
from tests.skills.lessons import attached, pages

CATS = ("Felix", "Minka", "Tiger", "Pixel", "Mochi", "Olive", "Pepper", "Simba")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An installation of its own: the others' tests need theirs whole."""
    with own_stack(tmp_path_factory.mktemp("learning")) as stack:
        yield stack


@pytest.fixture
def agent(own: Stack) -> Iterator[AcontextClient]:
    with AcontextClient(api_key=own.demo["api_key"], base_url=f"{own.url}/api/v1") as client:
        yield client


def kill_the_worker(own: Stack) -> None:
    """Once it runs: the supervisor starts it again."""
    until = time.monotonic() + 60
    while own.pids["worker"] is None:
        assert time.monotonic() < until, "the worker does not come back"
        time.sleep(0.1)
    own.kill("worker")


def test_killed_workers_lose_no_lesson_and_write_none_twice(own: Stack, agent: AcontextClient) -> None:
    space = agent.learning_spaces.create()
    sessions = [attached(agent, space)[1] for _ in CATS]
    for session, cat in zip(sessions, CATS, strict=True):
        agent.sessions.store_message(
            session.id, blob={"role": "user", "content": f"I have a cat called {cat}."}
        )
    time.sleep(8)  # until the sessions have been silent for long enough
    for _ in range(2):
        kill_the_worker(own)
        time.sleep(1.5)

    for session in sessions:
        record = agent.learning_spaces.wait_for_learning(space.id, session_id=session.id, timeout=180)
        assert record.status == "completed"
    text = "\n".join(pages(agent, space, "user-general-facts").values())
    assert [text.count(cat) for cat in CATS] == [1] * len(CATS)
