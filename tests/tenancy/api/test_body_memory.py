"""What a request sent does not outlive its answer until the garbage collector comes."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from django.urls import resolve

from console.http import release_process_memory
from console.http.release_process_memory import FreedMemory
from tenancy.audit.request_context import RequestContextMiddleware
from tests.support.api_client import Tenant
from tests.support.servers.loops import run
from tests.support.waiting import LIMIT, let_loop_run

MEGABYTE = 1024 * 1024


def answered(tenant: Tenant, path: str, body: dict[str, Any]) -> int:
    def respond(request: HttpRequest) -> Any:
        match = resolve(request.path)
        return match.func(request, *match.args, **match.kwargs).render()

    authorization = f"Token {tenant.key}"
    sent = RequestFactory().post(path, json.dumps(body), "application/json", HTTP_AUTHORIZATION=authorization)
    return RequestContextMiddleware(respond)(sent).status_code


@pytest.mark.parametrize(
    ("path", "status"), [("/api/openmem/v1/get/message", 200), ("/api/openmem/v1/get/status", 400)]
)
def test_a_parsed_body_is_let_go_with_its_answer(tenant: Tenant, path: str, status: int) -> None:
    """0.4 MB that take 7 when they are parsed."""
    body = {"user_id": "kim", "conversation_id": "talk", "x": [{str(n): [n]} for n in range(15_000)]}
    assert answered(tenant, path, {**body, "x": 1}) == status
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        assert [answered(tenant, path, body) for _ in range(2)] == [status] * 2
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()

    assert left < 7 * MEGABYTE


def test_freed_memory_is_given_back_once_for_many_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release_process_memory, "TRIM_SECONDS", 0.01)
    memory, trimmed = FreedMemory(), []
    given_back = memory._trim
    assert given_back is not None

    def trim(pad: int) -> int:
        trimmed.append(pad)
        return given_back(pad)

    memory._trim = trim

    async def several() -> None:
        for _ in range(5):
            memory.release_soon()
        async with asyncio.timeout(LIMIT):
            while not trimmed:
                await let_loop_run(0.01)
        memory.release_soon()
        async with asyncio.timeout(LIMIT):
            while len(trimmed) < 2:
                await let_loop_run(0.01)

    run(several())

    assert trimmed == [0, 0]
