"""More parameters than are read: each protocol refuses them in its own shape, and the log has the call."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from memories.lifecycle.erase_subject import erase_subject
from memories.values import OwnerKind, Subject
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.waiting import LIMIT

MOST = 1000
SENTENCE = (
    "Invalid request parameters: the address has more than 1,000 parameters; send fewer, or several requests"
)


def parameters(count: int, first: str = "p=0") -> str:
    return "&".join([first, *(f"p{number}=1" for number in range(1, count))])


def call(developer: Tenant, method: str, path: str, key: str = "", **options: Any) -> httpx.Response:
    word = "Bearer" if path.startswith(("/api/v1", "/v1/models", "/v1/chat")) else "Token"
    headers = {"Authorization": f"{word} {key or developer.key}"}
    return httpx.request(
        method,
        developer.url + path,
        headers=headers,
        trust_env=False,
        verify=False,
        timeout=LIMIT,
        **options,
    )


@pytest.mark.parametrize(
    ("method", "path", "shape", "endpoint"),
    [
        ("GET", "/api/openmem/v1/ping", {"code": 40000, "data": None, "message": SENTENCE}, "ping"),
        (
            "POST",
            "/api/openmem/v1/search/memory",
            {"code": 40000, "data": None, "message": SENTENCE},
            "search/memory",
        ),
        ("GET", "/api/v1/session", {"code": 400, "msg": SENTENCE}, "session"),
        ("POST", "/api/v1/session", {"code": 400, "msg": SENTENCE}, "session"),
        ("GET", "/v1/memories/", {"detail": SENTENCE, "error": SENTENCE, "code": 40000}, "mem0/"),
        ("DELETE", "/v1/memories/", {"detail": SENTENCE, "error": SENTENCE, "code": 40000}, "mem0/"),
        ("POST", "/v3/memories/search/", {"detail": SENTENCE, "error": SENTENCE, "code": 40000}, "mem0/"),
    ],
)
def test_too_many_parameters_are_refused_and_logged_as_every_refused_call(
    developer: Tenant, method: str, path: str, shape: dict[str, Any], endpoint: str
) -> None:
    options = {"json": {"user_id": "kim", "query": "tea"}} if method == "POST" else {}

    answer = call(developer, method, f"{path}?{parameters(MOST + 1)}", **options)

    assert (answer.status_code, answer.json()) == (400, shape)
    row = wait_for_log_row(developer.project, answer.headers["X-Request-Id"])
    assert (row.http_status, row.method) == (400, method)
    assert endpoint in row.endpoint
    assert SENTENCE in row.response_body


@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/models"), ("POST", "/v1/chat/completions")])
def test_too_many_parameters_are_refused_as_openais_clients_read_it(
    developer: Tenant, method: str, path: str
) -> None:
    answer = call(developer, method, f"{path}?{parameters(MOST + 1)}")

    assert answer.status_code == 400
    assert answer.json()["code"] == 40000
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert SENTENCE in answer.json()["error"]["message"]
    assert wait_for_log_row(developer.project, answer.headers["X-Request-Id"]).http_status == 400


def test_as_many_parameters_as_are_allowed_are_read(developer: Tenant) -> None:
    answer = call(developer, "GET", f"/api/openmem/v1/ping?{parameters(MOST)}")

    assert answer.json()["code"] == 0


def test_a_wrong_key_is_named_before_the_parameters(developer: Tenant) -> None:
    answer = call(developer, "GET", f"/api/openmem/v1/ping?{parameters(MOST + 1)}", key="mpg-wrong")

    assert answer.status_code == 401


def test_deleting_whom_too_many_parameters_name_takes_them_out_of_the_log(
    api: Api, developer: Tenant, user: str
) -> None:
    api.add(user, "I grow tomatoes on the balcony.")
    answer = call(developer, "GET", f"/v1/memories/?{parameters(MOST + 1, f'user_id={user}')}")
    request_id = answer.headers["X-Request-Id"]
    row = wait_for_log_row(developer.project, request_id)
    assert row.subjects == [f"end_user:{user}"]
    assert user in row.request_body

    erase_subject(developer.project, Subject(OwnerKind.END_USER, user))

    row = wait_for_log_row(developer.project, request_id)
    assert user not in f"{row.request_body}{row.response_body}{row.subjects}"


@pytest.mark.parametrize("path", ["/api/openmem/v1/add/knowledgebase-file", "/api/v1/agent_skills"])
def test_a_form_of_too_many_fields_is_refused_with_what_to_do(developer: Tenant, path: str) -> None:
    fields = {f"p{number}": "1" for number in range(MOST + 1)}

    answer = call(developer, "POST", path, data=fields, files={"file": b"# Tea"})

    body = answer.json()
    assert answer.status_code == 400
    assert "the form has more than 1,000 fields; send only those that are read" in (
        body.get("message") or body["msg"]
    )
    assert wait_for_log_row(developer.project, answer.headers["X-Request-Id"]).http_status == 400
