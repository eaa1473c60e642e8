"""Extractions are cached for a task that is tried again, and not for long."""

from __future__ import annotations

import time
from uuid import uuid4

from memories.engine.protocols import Extraction
from memories.ingest.extraction_cache import ExtractionCache

EXTRACTION = Extraction([], "a model")


def test_entries_expire_in_an_idle_worker() -> None:
    cache = ExtractionCache(seconds=0.1)
    cache.put(uuid4(), EXTRACTION)
    assert len(cache) == 1

    until = time.monotonic() + 5
    while len(cache) and time.monotonic() < until:
        time.sleep(0.02)

    assert len(cache) == 0


def test_a_task_that_is_tried_again_gets_its_extraction() -> None:
    cache, task = ExtractionCache(seconds=1.0), uuid4()
    cache.put(task, EXTRACTION)

    for _ in range(8):
        time.sleep(0.2)
        assert cache.get(task) is EXTRACTION

    cache.drop(task)
    assert cache.get(task) is None
