"""What long talks cost: each statement meets the nearest of the others, and what is said often is not read as often."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from sys import settrace
from types import FrameType
from typing import Any

import pytest
from django.db import connection, connections

from memories.ingest.refine import refine_messages
from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.tasks.refine_tasks import say, take

NAMES = "Anna Boris Clara David Elena Felix".split()
THINGS = "bicycle violin camera kayak telescope sofa".split()
SAID = [f"I borrowed a {thing} from {name} last year." for name, thing in product(NAMES, THINGS)]


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def count_comparing_work(project: Project, messages: list[str]) -> tuple[int, int]:
    """How many functions of `memories/consolidation` are called while a talk is written, and how many lines run where
    the nearest of its statements are found."""
    task = take(say(project, *messages))
    at = str(Path("memories", "consolidation"))
    calls = lines = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal calls, lines
        code = frame.f_code
        if event == "line":
            lines += 1
        elif event == "call":
            calls += at in code.co_filename
        return trace if "find_nearest" in code.co_qualname else None

    settrace(trace)
    try:
        refine_messages(task)
    finally:
        settrace(None)
    return calls, lines


def test_a_talk_of_four_times_as_many_messages_is_about_four_times_the_work(
    tenant: Tenant, stranger: Tenant
) -> None:
    short = count_comparing_work(stranger.project, SAID[:9])

    long = count_comparing_work(tenant.project, SAID)

    with tenant_scope(tenant.project):
        cube = MemCube.objects.within(tenant.project).get(owner_id="kim")
        assert Memory.objects.within(cube).count() == len(SAID)
    assert [most < 6 * least for least, most in zip(short, long, strict=True)] == [True, True]


def test_what_was_said_fifty_times_is_not_read_anew_for_each_time(tenant: Tenant) -> None:
    rows = []

    def count(execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        answer = execute(sql, params, many, context)
        if sql.startswith('SELECT "memories_memorysource"'):
            rows.append(context["cursor"].rowcount)
        return answer

    refine_messages(take(say(tenant.project, *["I live in Oslo."] * 50)))
    with connection.execute_wrapper(count):
        refine_messages(take(say(tenant.project, *["I live in Oslo."] * 5, day=1)))

    with tenant_scope(tenant.project):
        cube = MemCube.objects.within(tenant.project).get(owner_id="kim")
        assert Memory.objects.within(cube).get().sources.count() == 55
    assert rows
    assert sum(rows) < 50
