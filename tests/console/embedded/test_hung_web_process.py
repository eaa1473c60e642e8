"""When the supervisor takes a web process for one that hangs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event

import pytest

from console.embedded.hung_web_process import HungWatch
from tests.support.waiting import LIMIT, wait_until

Watch = Callable[..., HungWatch]


@pytest.fixture
def watch() -> Iterator[Watch]:
    """A watch that asks a hundred times a second, and stops with the test."""
    begun = []

    def begin(answers: Callable[[float], bool], process: int, start_seconds: float) -> HungWatch:
        begun.append(HungWatch(answers, 0.06, start_seconds))
        assert not begun[-1].is_hung(process)
        begun[-1].start()
        return begun[-1]

    yield begin
    for hung_watch in begun:
        hung_watch.stop()


def test_a_process_that_does_not_answer_any_more_hangs(watch: Watch) -> None:
    hangs = Event()
    watched = watch(lambda seconds: not hangs.wait(0.001), 1, 3_600)
    wait_until(lambda: watched.last_answering_pid == 1)
    assert not watched.is_hung(1)

    hangs.set()

    wait_until(lambda: watched.is_hung(1))
    assert not watched.is_hung(None)


def test_a_process_that_never_answers_hangs_once_it_had_the_time_to_start(watch: Watch) -> None:
    asked: list[float] = []

    def answers(seconds: float) -> bool:
        asked.append(seconds)
        return False

    starting, stuck = watch(answers, 1, 3_600), watch(lambda seconds: False, 1, 0.1)

    wait_until(lambda: stuck.is_hung(1))
    wait_until(lambda: len(asked) > 10)
    assert not starting.is_hung(1)


def test_what_an_earlier_process_answered_is_not_counted_for_the_next(watch: Watch) -> None:
    asked, answered, asked_again = Event(), Event(), Event()

    def answers(seconds: float) -> bool:
        if asked.is_set():
            asked_again.set()
            return False
        asked.set()
        return answered.wait(LIMIT)

    watched = watch(answers, 1, 3_600)
    assert asked.wait(LIMIT)
    assert not watched.is_hung(2)
    answered.set()

    assert asked_again.wait(LIMIT)
    assert watched.last_answering_pid is None
    assert not watched.is_hung(2)
