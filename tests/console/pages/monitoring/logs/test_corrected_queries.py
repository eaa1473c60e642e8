"""Refused calls whose faults are in the address: parameters of the query, and bodies about an id in the path."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tests.support.api_client import Api, Tenant
from tests.support.console.logged_calls import command_in, load_log_page, refused_row, run
from tests.support.tasks.request_log import logged_row


def connect_client(tenant: Tenant) -> httpx.Client:
    key = {"Authorization": f"Bearer {tenant.key}"}
    return httpx.Client(base_url=tenant.url, headers=key, trust_env=False, verify=False, timeout=120)


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
def test_a_query_is_corrected_in_its_address(tenant: Tenant, address: str, advice: str, kept: str) -> None:
    with connect_client(tenant) as http:
        assert http.get(address).status_code == 400

    page = load_log_page(tenant, refused_row(tenant).request_id)

    assert advice in page
    command = command_in(page, tenant)
    assert "-X GET" in command
    assert kept in command
    answer = run(command)
    assert answer == [] or answer.get("code", 0) == 0, (command, answer)
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
    tenant: Tenant, api: Api, body: dict[str, Any], advice: str
) -> None:
    with connect_client(tenant) as http:
        path = f"/v1/memories/{new_memory(api)}/"
        assert http.put(path, json=body).status_code == 400

    page = load_log_page(tenant, refused_row(tenant).request_id)

    assert advice in page
    command = command_in(page, tenant)
    assert path in command
    assert "detail" not in run(command)


def test_a_rating_is_corrected_with_its_id(tenant: Tenant, api: Api) -> None:
    key = new_memory(api)
    with connect_client(tenant) as http:
        http.post("/v1/feedback/", json={"memory_id": key, "feedback": "GOOD"})

    page = load_log_page(tenant, logged_row(tenant.project, "mem0/feedback").request_id)

    assert 'Change feedback from "GOOD" to "POSITIVE".' in page
    assert key in command_in(page, tenant)
    assert "detail" not in run(command_in(page, tenant))


def new_memory(api: Api) -> str:
    api.add("kim", "I live in Porto.")
    return str(api.listed("kim")["memory_detail_list"][0]["id"])


def test_whom_a_query_names_is_noted_with_it(tenant: Tenant) -> None:
    with connect_client(tenant) as http:
        http.get("/api/v1/session?user=kim")
        http.get("/v1/memories/?agent_id=guide")
        http.get("/v1/entities/")
    rows = [logged_row(tenant.project, name) for name in ("v1/sessions", "mem0/list", "mem0/entities")]

    assert [row.subjects for row in rows] == [["person:kim"], ["agent:guide"], []]
    assert [row.request_body for row in rows] == ['{"user": "kim"}', '{"agent_id": "guide"}', "{}"]


def test_what_is_deleted_with_a_person_goes_from_queries_too(tenant: Tenant) -> None:
    with connect_client(tenant) as http:
        http.post("/api/v1/session", json={"user": "kim"})
        http.get("/api/v1/session?user=kim")
        logged_row(tenant.project, "v1/sessions")
        assert http.delete("/api/v1/user/kim").status_code == 200

    with tenant_scope(tenant.project):
        rows = RequestLog.objects.within(tenant.project).filter(request_body__contains="kim")
        assert not rows.exists()
