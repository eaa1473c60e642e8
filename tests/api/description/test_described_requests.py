"""Requests that schemathesis makes of the description, good ones and bad ones: each is answered as described, and none
breaks the server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.generation.meta import CoveragePhaseData
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from console.embedded.stack import Stack
from console.http.openapi.apis import APIS
from tests.support.description.copying import Client
from tests.support.description.described import Described

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def client(stack: Stack) -> Iterator[Client]:
    """Of a tenant of its own, whose rows may all be deleted."""
    client = Client(stack, Described.of(stack.url))
    yield client
    client.http.close()


@pytest.fixture(scope="module")
def schema(client: Client) -> OpenApiSchema:
    schema = schemathesis.openapi.from_dict(client.described.document)
    schema.config.generation.update(modes=[GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
    # The tests of addresses send all the others: they are refused in one place.
    schema.config.phases.coverage.unexpected_methods = {"put"}
    return schema


@pytest.fixture(scope="module")
def session(client: Client) -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = client.http.headers["Authorization"]
        yield session


@pytest.mark.parametrize("name", [operation.id for api in APIS for operation in api.operations])
def test_a_request_is_answered_as_described(
    name: str, schema: OpenApiSchema, client: Client, session: requests.Session
) -> None:
    client.make_rows_for(name)

    @settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    def ask(case: Case) -> None:
        if is_asked_elsewhere(case):
            return
        put_own_ids(case, client)
        say_little(case, client)
        answer = case.call(base_url=str(client.http.base_url), session=session, timeout=120)
        case.validate_response(answer, checks=CHECKS)

    # What the description shows as examples is sent by the tests of these; a few random requests say less than
    # the systematic ones.
    asked = HypothesisTestConfig(schema.config, [HypothesisTestMode.COVERAGE])
    create_test(operation=schema.find_operation_by_id(name), test_func=ask, config=asked)()


def is_asked_elsewhere(case: Case) -> bool:
    """The fields of messages are asked of `addMessage`, which reads the same messages; wrong values of the query's
    parameters among all the others. A value beside a limit is taken like the one at the limit, which is sent too."""
    phase_data = case.meta.phase.data if case.meta else None
    if not isinstance(phase_data, CoveragePhaseData):
        return False
    if "Near-boundary" in phase_data.description:
        return True
    if case.operation.definition.raw["operationId"] == "extractMemory":
        return phase_data.description.startswith(
            ("messages -> ", "Object with valid 'messages' value: Single-item")
        )
    return phase_data.description.startswith(f"{phase_data.parameter}: ") and phase_data.location is None


def put_own_ids(case: Case, client: Client) -> None:
    """Well-formed ids are made those of rows that are there, as examples that somebody copies."""
    name = case.operation.definition.raw["operationId"]
    if isinstance(case.body, dict | list):
        case.body = client.with_own_ids(case.body)
    for parameter, shown in client.described.parameters(name, "path").items():
        if is_uuid(case.path_parameters.get(parameter)):
            case.path_parameters[parameter] = client.with_own_ids(shown)


def say_little(case: Case, client: Client) -> None:
    """Most of five hundred messages are of the system: nobody reads them. Nor does anybody the example's own talk each
    time that a field beside it is asked: the tests of examples have it remembered, and what is said in a chat."""
    if not isinstance(case.body, dict):
        return
    if "query" in case.body and case.operation.definition.raw["operationId"] == "chat":
        case.body.setdefault("add_message_on_answer", False)
    if isinstance(case.body.get("messages"), list):
        shown = client.described.example(case.operation.definition.raw["operationId"])["messages"]
        for number, message in enumerate(case.body["messages"]):
            if isinstance(message, dict) and (number >= 10 or message in shown):
                message |= {"role": "system", "content": "Be brief."}


def is_uuid(value: Any) -> bool:
    try:
        return bool(UUID(value))
    except (ValueError, TypeError, AttributeError):
        return False
