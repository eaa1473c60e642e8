"""Extractions are cached for a task that is tried again, and not for long."""

from __future__ import annotations

from uuid import uuid4

from memories.engine.protocols import Extraction
from memories.ingest.extraction_cache import ExtractionCache
from tests.support.waiting import let_time_pass, wait_until

EXTRACTION = Extraction([], "a model")


def test_entries_expire_in_an_idle_worker() -> None:
    cache = ExtractionCache(seconds=0.1)
    cache.put(uuid4(), EXTRACTION)
    assert len(cache) == 1

    wait_until(lambda: len(cache) == 0)


def test_a_task_that_is_tried_again_gets_its_extraction() -> None:
    cache, task = ExtractionCache(seconds=1.0), uuid4()
    cache.put(task, EXTRACTION)

    for _ in range(8):
        let_time_pass(0.2, "each use extends the time to live")
        assert cache.get(task) is EXTRACTION

    cache.drop(task)
    assert cache.get(task) is None
