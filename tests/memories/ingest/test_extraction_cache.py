"""What was thought for a task is not thought twice, and not kept for long."""

from __future__ import annotations

import time
from uuid import uuid4

from memories.engine.protocols import Extraction
from memories.ingest.extraction_cache import ExtractionCache

THOUGHT = Extraction([], "a model")


def test_what_nobody_asks_for_is_gone_though_the_worker_has_nothing_to_do() -> None:
    thoughts = ExtractionCache(seconds=0.1)
    thoughts.put(uuid4(), THOUGHT)
    assert len(thoughts) == 1

    until = time.monotonic() + 5
    while len(thoughts) and time.monotonic() < until:
        time.sleep(0.02)

    assert len(thoughts) == 0


def test_a_task_that_begins_again_and_again_finds_its_thought() -> None:
    thoughts, task = ExtractionCache(seconds=1.0), uuid4()
    thoughts.put(task, THOUGHT)

    for _ in range(8):
        time.sleep(0.2)
        assert thoughts.get(task) is THOUGHT

    thoughts.forget(task)
    assert thoughts.get(task) is None
