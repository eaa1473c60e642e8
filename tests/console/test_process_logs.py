"""What an operator reads in the logs of the processes: JSON, one line a task, no addresses and no words."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from celery import Celery

from console.embedded.stack import Stack
from console.logs import JSONFormatter
from tests.api_client import Api
from tests.installations import own_stack
from tests.waiting import wait_until

WORD = "xylophone"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with own_stack(tmp_path_factory.mktemp("logs")) as stack:
        yield stack


def lines(stack: Stack, name: str) -> list[str]:
    return (stack.path / "logs" / f"{name}.log").read_text().splitlines()


def tasks_done(stack: Stack) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in lines(stack, "worker")]
    return [line for line in found if line["event"] == "task_done"]


def ring_for_a_round(stack: Stack) -> None:
    """As beat does each minute."""
    socket = stack.environment["REDIS_URL"].removeprefix("unix://").partition("?")[0]
    with Celery("ring", broker=f"redis+socket://{socket}", set_as_current=False) as app:
        app.send_task("memories.refund")


def test_every_line_is_json_and_each_task_has_one(own: Stack) -> None:
    with Api(own.url, own.demo["api_key"]) as api:
        answer = api.add("kim", f"I play the {WORD} in a brass band.", async_mode=True)
        assert api.wait_until_done(answer["task_id"]) == "completed"
    wait_until(lambda: any(line["task"] == answer["task_id"] for line in tasks_done(own)))
    with httpx.Client(trust_env=False) as stranger:  # a handshake that is refused
        stranger.get(f"{own.url}/live/", headers={"Connection": "Upgrade", "Upgrade": "websocket"})
    ring_for_a_round(own)
    wait_until(lambda: any('"event": "round_done"' in line for line in lines(own, "worker")))

    (done,) = [line for line in tasks_done(own) if line["task"] == answer["task_id"]]
    assert set(done) == {"time", "level", "logger", "event", "task", "kind", "ms", "outcome"}
    assert (done["kind"], done["outcome"]) == ("refine", "completed")
    assert done["ms"] >= 0
    for name in ("web", "worker", "beat"):
        for line in lines(own, name):
            assert isinstance(json.loads(line), dict), f"{name}: {line}"
            assert "127.0.0.1" not in line, f"{name}: {line}"
            assert own.demo["project_id"] not in line, f"{name}: {line}"
            assert WORD not in line, f"{name}: {line}"


def test_a_fault_is_named_with_its_place_and_without_its_message() -> None:
    """A database's message quotes the row."""
    try:
        raise ValueError(f"Failing row contains (1, I play the {WORD}).")
    except ValueError as fault:
        record = logging.LogRecord("any", logging.ERROR, __file__, 1, "broke", (), (ValueError, fault, None))

    line = json.loads(JSONFormatter().format(record))

    assert line["fault"] == "ValueError"
    assert Path(__file__).name in line["at"][-1]
    assert WORD not in json.dumps(line)
