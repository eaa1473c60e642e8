"""The OpenAPI file: who builds a client or reads the reference gets a valid description of what is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import pytest
from django.test import Client
from openapi_spec_validator import validate

from console import schema
from console.embedded.stack import Stack


@pytest.fixture(scope="module")
def description(stack: Stack) -> dict[str, Any]:
    told: dict[str, Any] = fetch(stack).json()
    return told


def fetch(stack: Stack, accept: str = "application/json") -> httpx.Response:
    return httpx.get(f"{stack.url}/openapi.json", headers={"Accept": accept}, timeout=30, trust_env=False)


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/html", "application/vnd.oai.openapi"])
def test_the_description_is_json_whatever_a_client_accepts(stack: Stack, accept: str) -> None:
    answer = fetch(stack, accept)

    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["openapi"].startswith("3.")


def test_a_validator_accepts_the_description(description: dict[str, Any]) -> None:
    validate(description)


def test_all_who_ask_a_new_process_at_once_get_the_description() -> None:
    schema._built.cache_clear()
    clients = 8
    start = Barrier(clients)

    def ask(_: int) -> int:
        start.wait(timeout=30)
        return Client(HTTP_HOST="localhost", raise_request_exception=False).get("/openapi.json").status_code

    with ThreadPoolExecutor(clients) as threads:
        assert list(threads.map(ask, range(clients))) == [200] * clients
