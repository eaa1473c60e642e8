"""Refused calls whose faults are in the address: parameters of the query, and bodies about an id in the path."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.test import Client

from console.embedded.stack import Stack
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.console.logged_calls import command_in, load_log_page, run
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.tenants import make_tenant


@pytest.fixture(scope="module")
def tenant(stack: Stack) -> Tenant:
    """One for all: each test looks at its own request."""
    return make_tenant(stack)


@pytest.fixture(scope="module")
def owner(tenant: Tenant) -> Client:
    return sign_in_owner(tenant)


@pytest.fixture(scope="module")
def http(tenant: Tenant) -> Iterator[Mem0]:
    with Mem0(tenant) as client:
        client.headers["Authorization"] = f"Bearer {tenant.key}"
        yield client


LoadPage = Callable[[httpx.Response], str]


@pytest.fixture
def load_page(tenant: Tenant, owner: Client) -> LoadPage:
    """The log's page of a call that was answered so."""

    def load(answer: httpx.Response) -> str:
        assert answer.status_code == 400
        row = wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])
        return load_log_page(tenant, row.request_id, owner)

    return load


@pytest.mark.parametrize(
    ("address", "advice", "kept"),
    [
        ("/api/v1/session?user=kim&limit=9000", "Change limit from 9000 to 200.", "user=kim"),
        ("/api/v1/learning_spaces?limit=abc", 'Change limit from "abc" to 20.', "limit=20"),
        ("/api/v1/session?time_desc=maybe&limit=5", "Remove time_desc.", "limit=5"),
        ("/api/v1/session?cursor=nowhere", "Remove cursor.", "/api/v1/session"),
        ('/api/v1/session?filter_by_configs={"a": 1&limit=5', "Change filter_by_configs", "limit=5"),
        ("/v1/memories/?user_id=kim&page=0", "Change page from 0 to 1.", "user_id=kim"),
        ("/v1/memories/?user_id=7&page_size=many", 'Change page_size from "many" to 100.', "user_id=7"),
        ("/v1/memories/?user_id=kim&start_date=soon", "Remove start_date.", "user_id=kim"),
        ("/v1/entities/?page=-1", "Change page from -1 to 1.", "page=1"),
        ("/v1/events/?page_size=5000", "Change page_size from 5000 to 200.", "page_size=200"),
    ],
)
def test_a_query_is_corrected_in_its_address(
    tenant: Tenant, http: Mem0, load_page: LoadPage, address: str, advice: str, kept: str
) -> None:
    page = load_page(http.get(address))

    assert advice in page
    command = command_in(page, tenant)
    assert "-X GET" in command
    assert kept in command
    answer = run(command)
    assert isinstance(answer, list) or answer.get("code", 0) == 0, (command, answer)
    assert "detail" not in answer, (command, answer)


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ({"text": 7}, 'Change text from 7 to "7".'),
        ({"text": ""}, "Add text, for example"),
        ({"metadata": "x"}, "Change metadata from"),
        ({"expiration_date": "soon"}, "Change expiration_date from"),
        ({}, "Add text, for example"),
    ],
)
def test_a_change_of_a_memory_is_corrected_at_its_address(
    tenant: Tenant, http: Mem0, load_page: LoadPage, body: dict[str, Any], advice: str
) -> None:
    path = f"/v1/memories/{http.store('I live in Porto.', uuid4().hex)['id']}/"

    page = load_page(http.put(path, json=body))

    assert advice in page
    command = command_in(page, tenant)
    assert path in command
    assert "detail" not in run(command)


def test_a_rating_is_corrected_with_its_id(tenant: Tenant, http: Mem0, load_page: LoadPage) -> None:
    key = http.store("I live in Porto.", uuid4().hex)["id"]

    page = load_page(http.post("/v1/feedback/", json={"memory_id": key, "feedback": "GOOD"}))

    assert 'Change feedback from "GOOD" to "POSITIVE".' in page
    assert key in command_in(page, tenant)
    assert "detail" not in run(command_in(page, tenant))


def test_whom_a_query_names_is_noted_with_it(tenant: Tenant, http: Mem0) -> None:
    paths = ("/api/v1/session?user=kim", "/v1/memories/?agent_id=guide", "/v1/entities/")
    answers = [http.get(path) for path in paths]
    rows = [wait_for_log_row(tenant.project, answer.headers["X-Request-Id"]) for answer in answers]

    assert [row.subjects for row in rows] == [["person:kim"], ["agent:guide"], []]
    assert [row.request_body for row in rows] == ['{"user": "kim"}', '{"agent_id": "guide"}', "{}"]


def test_what_is_deleted_with_a_person_goes_from_queries_too(tenant: Tenant, http: Mem0) -> None:
    http.post("/api/v1/session", json={"user": "lou"})
    answer = http.get("/api/v1/session?user=lou")
    wait_for_log_row(tenant.project, answer.headers["X-Request-Id"])
    assert http.delete("/api/v1/user/lou").status_code == 200

    with tenant_scope(tenant.project):
        rows = RequestLog.objects.within(tenant.project).filter(request_body__contains="lou")
        assert not rows.exists()
