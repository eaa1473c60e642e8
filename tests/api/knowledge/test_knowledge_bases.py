"""Knowledge bases over the API: made, listed, taken out of a project; what is another's is as if it were not."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from console.embedded.stack import Stack
from knowledgebase.bases.bases import create_base, link_base, load_base
from tenancy.keys.keys import create_key
from tenancy.models import Plan, Project
from tests.support.api_client import Api, Tenant
from tests.support.expect import accepted, refused
from tests.support.knowledge.knowledge import fetch_files, file_item, new_base, upload, wait_for_files
from tests.support.tasks.request_log import wait_for_log_row
from tests.support.tenants import make_tenant

NOTE = b"# Travel\n\nA night in a hotel may cost 120 euros.\n"


@pytest.fixture
def second(developer: Tenant) -> Iterator[Api]:
    """Another project of the same account."""
    project = Project.objects.create(account=developer.project.account, name=uuid4().hex[:8])
    with developer.api(create_key(project, "second").plaintext) as client:
        yield client


def small_plan(bases: int, gigabytes: int = 1) -> str:
    code = f"plan-{uuid4().hex[:8]}"
    Plan.objects.create(
        code=code,
        name="Small",
        rank=90,
        knowledge_bases=bases,
        knowledge_base_gigabytes=gigabytes,
        requests_per_second=500,
    )
    return code


def with_key(tenant: Tenant, *scopes: str) -> Api:
    return tenant.api(create_key(tenant.project, uuid4().hex[:8], scopes=scopes).plaintext)


def test_a_base_has_an_id_that_is_a_text(api: Api) -> None:
    data = accepted(
        api.call(
            "create/knowledgebase",
            {"knowledgebase_name": "差旅 policies", "knowledgebase_description": "Ours"},
        )
    )

    assert data["id"].startswith("base")
    assert fetch_files(api, data["id"]) == []


@pytest.mark.parametrize("path", ["create/knowledgebase", "create/knowledgebase/"])
def test_an_address_may_end_in_a_slash(api: Api, path: str) -> None:
    assert accepted(api.call(path, {"knowledgebase_name": "Policies", "knowledgebase_description": None}))[
        "id"
    ]


@pytest.mark.parametrize(
    ("body", "code", "word"),
    [
        ({}, 40002, "knowledgebase_name"),
        ({"knowledgebase_name": None}, 40002, "knowledgebase_name"),
        ({"knowledgebase_name": "  "}, 40002, "knowledgebase_name"),
        ({"knowledgebase_name": 5}, 40000, "knowledgebase_name"),
        ({"knowledgebase_name": "x" * 101}, 40000, "knowledgebase_name"),
        ({"knowledgebase_name": "x", "knowledgebase_description": "y" * 1001}, 40000, "description"),
        ({"knowledgebase_name": "x", "knowledgebase_description": ["y"]}, 40000, "description"),
        ({"knowledgebase_name": "a\u0000b"}, 40000, "NUL"),
    ],
)
def test_a_base_without_a_good_name_is_refused(api: Api, body: dict[str, Any], code: int, word: str) -> None:
    refused(api.call("create/knowledgebase", body), code, word)


def test_a_base_taken_out_of_the_project_is_not_linked_any_more(api: Api, user: str) -> None:
    base = new_base(api)

    assert accepted(api.call("delete/knowledgebase", {"knowledgebase_id": base})) == {"success": True}

    refused(api.call("delete/knowledgebase", {"knowledgebase_id": base}), 50123, base)
    refused(api.call("get/knowledgebase-file", {"knowledgebase_id": base}), 50123, base)
    item = {"knowledgebase_id": base, "file": [file_item("a.md", NOTE)]}
    refused(api.call("add/knowledgebase-file", item), 50123, base)
    answer = api.call("search/memory", {"user_id": user, "query": "hotel", "knowledgebase_ids": [base]})
    refused(answer, 50123)


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("delete/knowledgebase", {"knowledgebase_id": "base-of-nobody"}, 50120),
        ("delete/knowledgebase", {}, 40002),
        ("delete/knowledgebase", {"knowledgebase_id": None}, 40002),
        ("get/knowledgebase-file", {"knowledgebase_id": "base-of-nobody"}, 50120),
        ("add/knowledgebase-file", {"knowledgebase_id": "nobody", "file": [file_item("a.md", NOTE)]}, 50120),
    ],
)
def test_a_base_that_is_not_there_is_not_found(api: Api, path: str, body: dict[str, Any], code: int) -> None:
    refused(api.call(path, body), code)


def test_what_is_anothers_is_answered_like_what_never_was(api: Api, strangers_api: Api) -> None:
    base = new_base(api)
    file = upload(api, base, {"a.md": NOTE})[0]["id"]
    made_up = f"base{uuid4()}", uuid4().hex

    for path, body in [
        ("delete/knowledgebase", {"knowledgebase_id": base}),
        ("get/knowledgebase-file", {"knowledgebase_id": base}),
        ("get/knowledgebase-file", {"file_ids": [file]}),
        ("add/knowledgebase-file", {"knowledgebase_id": base, "file": [file_item("a.md", NOTE)]}),
        ("delete/knowledgebase-file", {"file_ids": [file]}),
    ]:
        absent = {name: made_up[0] if name == "knowledgebase_id" else value for name, value in body.items()}
        absent |= {"file_ids": [made_up[1]]} if "file_ids" in body else {}
        theirs, nobodys = strangers_api.call(path, body), strangers_api.call(path, absent)
        words = nobodys.text.replace(made_up[0], "?").replace(made_up[1], "?")
        assert theirs.status_code == nobodys.status_code == 400
        assert theirs.text.replace(base, "?").replace(file, "?") == words
    assert [row["id"] for row in fetch_files(api, base)] == [file]


def test_another_project_of_the_account_uses_a_base_once_it_is_linked(
    api: Api, second: Api, developer: Tenant
) -> None:
    base = new_base(api)
    file = upload(api, base, {"a.md": NOTE})[0]["id"]
    wait_for_files(api, base)

    refused(second.call("get/knowledgebase-file", {"knowledgebase_id": base}), 50123)
    refused(second.call("get/knowledgebase-file", {"file_ids": [file]}), 40001)
    refused(second.call("delete/knowledgebase-file", {"file_ids": [file]}), 40001)
    item = {"knowledgebase_id": base, "file": [file_item("b.md", NOTE + b"More.")]}
    refused(second.call("add/knowledgebase-file", item), 50123)

    project = Project.objects.filter(account=developer.project.account).latest("created_at")
    link_base(project, load_base(developer.project, base))
    assert [row["id"] for row in fetch_files(second, base)] == [file]
    added = upload(second, base, {"b.md": NOTE + b"More."})[0]["id"]
    assert {row["id"] for row in fetch_files(api, base)} == {file, added}


def test_the_plan_limits_how_many_bases_there_are(stack: Stack) -> None:
    tenant = make_tenant(stack, small_plan(2))
    with tenant.api() as api:
        first = new_base(api)
        new_base(api)

        answer = api.call("create/knowledgebase", {"knowledgebase_name": "One more"})

        refused(answer, 40304, "2 knowledge bases", status=400)
        assert "Retry-After" not in answer.headers
        api.data("delete/knowledgebase", {"knowledgebase_id": first})  # it is still the account's
        refused(api.call("create/knowledgebase", {"knowledgebase_name": "One more"}), 40304)


def test_no_more_bases_than_allowed_are_made_at_the_same_time(stack: Stack) -> None:
    tenant = make_tenant(stack, small_plan(3))

    def create(number: int) -> int:
        with tenant.api() as api:
            return int(api.call("create/knowledgebase", {"knowledgebase_name": str(number)}).json()["code"])

    with ThreadPoolExecutor(10) as pool:
        codes = sorted(pool.map(create, range(10)))

    assert codes == [0] * 3 + [40304] * 7


def test_a_repeated_request_makes_one_base(api: Api) -> None:
    key = {"Idempotency-Key": uuid4().hex}
    body = {"knowledgebase_name": "Policies"}

    first, again = (api.call("create/knowledgebase", body, headers=key) for _ in range(2))

    assert accepted(first) == accepted(again)
    assert again.headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("create/knowledgebase", {"knowledgebase_name": "x"}),
        ("delete/knowledgebase", {"knowledgebase_id": "x"}),
        ("add/knowledgebase-file", {"knowledgebase_id": "x", "file": [file_item("a.md", NOTE)]}),
        ("get/knowledgebase-file", {"knowledgebase_id": "x"}),
        ("delete/knowledgebase-file", {"file_ids": ["x"]}),
    ],
)
def test_a_key_needs_the_scope_of_knowledge(developer: Tenant, path: str, body: dict[str, Any]) -> None:
    with with_key(developer, "read", "write", "delete") as api:
        refused(api.call(path, body), 40132, "knowledge", status=401)
    with with_key(developer, "knowledge") as api:
        assert api.call(path, body).status_code in {200, 400}


def test_calls_are_in_the_request_log(api: Api, developer: Tenant) -> None:
    answer = api.call("create/knowledgebase", {"knowledgebase_name": "Policies"})

    row = wait_for_log_row(developer.project, answer.headers["X-Request-Id"])

    assert (row.endpoint, row.code) == ("create/knowledgebase", 0)
    assert "Policies" in row.request_body


def test_bases_made_in_the_console_are_those_of_the_api(api: Api, developer: Tenant) -> None:
    base = create_base(developer.project, "Policies", "Ours")

    assert fetch_files(api, base.public_id) == []
