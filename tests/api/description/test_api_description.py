"""The OpenAPI file: who builds a client or reads the reference gets a valid description of what is there."""

from __future__ import annotations

import inspect
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import pytest
from django.test import Client
from django.urls import resolve
from drf_spectacular.drainage import GENERATOR_STATS
from openapi_spec_validator import validate

import knowledgebase.api.urls
import memories.api.urls
import skills.api.urls
import tenancy.api.console.urls
from console.embedded.stack import Stack
from console.http.openapi import serving
from console.http.openapi.apis import APIS, Api
from skills.api.views.people import UserView
from tenancy.api.operations import Operation
from tests.support.description.described import METHODS


@pytest.fixture(scope="module")
def description(stack: Stack) -> dict[str, Any]:
    document: dict[str, Any] = fetch(stack).json()
    return document


def fetch(stack: Stack, accept: str = "application/json") -> httpx.Response:
    return httpx.get(f"{stack.url}/openapi.json", headers={"Accept": accept}, timeout=120, trust_env=False)


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/html", "application/vnd.oai.openapi"])
def test_the_description_is_json_whatever_a_client_accepts(stack: Stack, accept: str) -> None:
    answer = fetch(stack, accept)

    assert answer.status_code == 200, answer.text[:500]
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["openapi"].startswith("3.")


def test_a_validator_accepts_the_description(description: dict[str, Any]) -> None:
    validate(description)


def test_all_who_ask_a_new_process_at_once_get_the_description() -> None:
    serving._build_description_bytes.cache_clear()
    clients = 8
    start = Barrier(clients)

    def ask(_: int) -> int:
        start.wait(timeout=120)
        return Client(HTTP_HOST="localhost", raise_request_exception=False).get("/openapi.json").status_code

    with ThreadPoolExecutor(clients) as threads:
        assert list(threads.map(ask, range(clients))) == [200] * clients


def served() -> set[tuple[type, str]]:
    """Each view of the described APIs with each method that it answers."""
    urls = (memories.api.urls, knowledgebase.api.urls, skills.api.urls, tenancy.api.console.urls)
    views = {pattern.callback.view_class for module in urls for pattern in module.urlpatterns}
    return {(view, method) for view in views for method in METHODS if hasattr(view, method)}


def test_every_operation_that_is_served_is_described_once(description: dict[str, Any]) -> None:
    operations = [
        (resolve(path).func.view_class, method)
        for path, item in description["paths"].items()
        for method in item
        if not path.startswith("/api/v1/user/")  # one view for three addresses
    ]

    assert set(operations) == {operation for operation in served() if operation[0] is not UserView}
    assert {path for path in description["paths"] if path.startswith("/api/v1/user/")} == {
        "/api/v1/user/ls",
        "/api/v1/user/{identifier}",
        "/api/v1/user/{identifier}/resources",
    }


def test_every_operation_has_a_name_of_its_own_and_a_summary(description: dict[str, Any]) -> None:
    operations = [operation for item in description["paths"].values() for operation in item.values()]
    names = [operation["operationId"] for operation in operations]

    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name) for name in names)
    assert all(operation["summary"] and len(operation["summary"]) <= 80 for operation in operations)


def test_every_operation_takes_a_key_either_way(description: dict[str, Any]) -> None:
    assert set(description["components"]["securitySchemes"]) == {"bearer", "token"}
    for item in description["paths"].values():
        for operation in item.values():
            assert operation["security"] == [{"bearer": []}, {"token": []}]


@pytest.mark.parametrize(
    ("api", "operation"),
    [(api, operation) for api in APIS for operation in api.operations],
    ids=lambda argument: getattr(argument, "id", ""),
)
def test_a_body_is_described_by_the_serializer_that_the_view_reads_it_with(
    api: Api, operation: Operation
) -> None:
    view = resolve(api.base + operation.path).func.view_class
    source = inspect.getsource(getattr(view, operation.method.lower()))

    read = re.findall(r"self\.read\((\w+)\)", source)

    assert read == ([operation.body.__name__] if operation.body else [])


def test_the_generator_guesses_nothing() -> None:
    GENERATOR_STATS.reset()

    serving.build_description()

    assert not GENERATOR_STATS
