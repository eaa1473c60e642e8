"""Refused batches and deletions of mem0's clients: what is shown corrected does what was meant, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.embedded.stack import Stack
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.console.logged_calls import command_in, load_log_page, run
from tests.support.tasks.request_log import store_rows, wait_for_log_row
from tests.support.tenants import make_tenant

NOBODY = "0198b6a2-0000-7000-8000-00000000dead"


@pytest.fixture(scope="module")
def tenant(stack: Stack) -> Tenant:
    """One for all: what each test stores is of somebody whom no other test names."""
    return make_tenant(stack)


@pytest.fixture(scope="module")
def owner(tenant: Tenant) -> Client:
    return sign_in_owner(tenant)


@pytest.fixture(scope="module")
def mem0(tenant: Tenant) -> Iterator[Mem0]:
    with Mem0(tenant) as client:
        yield client


@pytest.fixture
def kim() -> str:
    return f"kim-{uuid4().hex[:8]}"


LoadRefused = Callable[..., str]


@pytest.fixture
def load_refused_page(tenant: Tenant, mem0: Mem0, owner: Client) -> LoadRefused:
    """The log's page of a call that is refused for what is in it."""

    def load(method: str, path: str, body: Any = None) -> str:
        [row] = send_and_find(mem0, tenant, [(method, path, body)], {400, 404})
        return load_log_page(tenant, row.request_id, owner)

    return load


def send_and_find(
    mem0: Mem0, tenant: Tenant, calls: Sequence[tuple[str, str, Any]], statuses: set[int]
) -> list[RequestLog]:
    """Their rows of the log, which are written together a moment after the answers."""
    answers = [mem0.request(method, path, json=body) for method, path, body in calls]
    assert {answer.status_code for answer in answers} <= statuses, [answer.text for answer in answers]
    return [wait_for_log_row(tenant.project, answer.headers["X-Request-Id"]) for answer in answers]


def store_three(mem0: Mem0, user: str) -> list[str]:
    items = [{"role": "user", "content": f"Item {number}."} for number in range(3)]
    body = {"messages": items, "infer": False, "user_id": user}
    return [row["id"] for row in mem0.ok("POST", "/v3/memories/add/", body)["results"]]


def place(value: Any, ids: list[str]) -> Any:
    """With the memories' ids for `{0}`, `{1}` and `{2}`."""
    if isinstance(value, dict):
        return {name: place(item, ids) for name, item in value.items()}
    if isinstance(value, list):
        return [place(item, ids) for item in value]
    return value.format(*ids) if isinstance(value, str) else value


TWO = [{"memory_id": "{0}", "text": "Thing 0."}, {"memory_id": "{1}", "text": "Thing 1."}]


@pytest.mark.parametrize(
    ("memories", "advice", "after"),
    [
        (
            {"memories": [TWO[0], {"memory_id": "{1}", "text": 7}]},
            'Change memories[1].text from 7 to "7".',
            ["7", "Item 2.", "Thing 0."],
        ),
        ({"memories": TWO[0]}, "Change memories from {", ["Item 1.", "Item 2.", "Thing 0."]),
        ({"Memories": TWO}, "Rename Memories to memories.", ["Item 2.", "Thing 0.", "Thing 1."]),
        (
            {"memories": [TWO[0], {"memoryId": "{1}", "text": "Thing 1."}]},
            "Rename memoryId to memories[1].memory_id.",
            ["Item 2.", "Thing 0.", "Thing 1."],
        ),
        (
            {"memories": [{"id": "{0}", "text": "Thing 0."}]},
            "Rename id to memories[0].memory_id.",
            ["Item 1.", "Item 2.", "Thing 0."],
        ),
        (
            {"memories": [TWO[0], {"memory_id": "{1}"}]},
            "Add memories[1].text, for example",
            ["Item 2.", "Thing 0.", "The user lives in Shanghai."],
        ),
        (
            {"memories": [TWO[0], {"memory_id": "unknown", "text": "x"}, TWO[1]]},
            'Remove {"memory_id": "unknown", "text": "x"} from memories.',
            ["Item 2.", "Thing 0.", "Thing 1."],
        ),
        (
            {"memories": [{**TWO[0], "metadata": "home"}]},
            "Change memories[0].metadata from",
            ["Item 1.", "Item 2.", "Thing 0."],
        ),
        (
            {"memories": [{**TWO[0], "expiration_date": "soon"}]},
            "Change memories[0].expiration_date from",
            ["Item 1.", "Item 2.", "Thing 0."],
        ),
    ],
)
def test_a_batch_of_changes_is_corrected_and_changes_what_it_names(
    tenant: Tenant,
    mem0: Mem0,
    kim: str,
    load_refused_page: LoadRefused,
    memories: dict[str, Any],
    advice: str,
    after: list[str],
) -> None:
    page = load_refused_page("PUT", "/v1/batch/", place(memories, store_three(mem0, kim)))

    assert advice in page
    command = command_in(page, tenant)
    assert "-X PUT" in command
    assert run(command)["message"].startswith("Successfully updated"), command
    assert sorted(mem0.listed({"user_id": kim})) == sorted(after)


@pytest.mark.parametrize(
    ("memories", "advice", "after"),
    [
        ({"memories": ["{0}", "{1}"]}, 'to {"memory_id": "', ["Item 2."]),
        ({"memory_ids": ["{0}"]}, "Rename memory_ids to memories.", ["Item 1.", "Item 2."]),
        ({"memories": "{0}"}, "Change memories from", ["Item 1.", "Item 2."]),
        ({"memories": ["{0}", "unknown", "{1}"]}, 'Change memories[2] from "', ["Item 2."]),
        (
            {"memories": [{"memory_id": "{0}"}, {"memory_id": 7}, {"memory_id": 8}, {"memory_id": "{2}"}]},
            'Remove {"memory_id": 8} from memories.',
            ["Item 1."],
        ),
    ],
)
def test_a_batch_of_deletions_is_corrected_and_deletes_what_it_names(
    tenant: Tenant,
    mem0: Mem0,
    kim: str,
    load_refused_page: LoadRefused,
    memories: dict[str, Any],
    advice: str,
    after: list[str],
) -> None:
    page = load_refused_page("DELETE", "/v1/batch/", place(memories, store_three(mem0, kim)))

    assert advice in page
    command = command_in(page, tenant)
    assert "-X DELETE" in command
    assert run(command)["message"].startswith("Successfully deleted"), command
    assert sorted(mem0.listed({"user_id": kim})) == after


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_memories_that_are_not_the_projects_are_left_out_of_a_batch(
    tenant: Tenant, mem0: Mem0, kim: str, load_refused_page: LoadRefused, stranger: Tenant, method: str
) -> None:
    with Mem0(stranger) as theirs:
        foreign = theirs.store("Theirs.", "kim")["id"]
    mine, *_ = store_three(mem0, kim)
    ids = [foreign, str(uuid4()), mine]
    items = [{"memory_id": memory_id, "text": "Changed."} for memory_id in ids]

    page = load_refused_page(method, "/v1/batch/", {"memories": items})

    assert page.count("from memories.") == 2
    assert "1 memories" in run(command_in(page, tenant))["message"]
    left = ["Item 1.", "Item 2."] if method == "DELETE" else ["Changed.", "Item 1.", "Item 2."]
    assert sorted(mem0.listed({"user_id": kim})) == left
    with Mem0(stranger) as theirs:
        assert theirs.listed({"user_id": "kim"}) == ["Theirs."]


def test_a_batch_that_names_no_memory_of_the_project_is_not_corrected(
    tenant: Tenant, mem0: Mem0, owner: Client, kim: str
) -> None:
    store_three(mem0, kim)
    bodies: list[Any] = [
        {},
        {"memories": []},
        {"memories": ["unknown"]},
        {"memories": [{"memory_id": "unknown"}]},
        {"memories": [{"memory_id": NOBODY}]},
        {"memories": [{"memory_id": NOBODY}] * 1_001},
    ]

    calls = [("PUT", "/v1/batch/", {}), *(("DELETE", "/v1/batch/", body) for body in bodies)]
    for call, row in zip(calls, send_and_find(mem0, tenant, calls, {400, 404}), strict=True):
        assert 'id="corrected' not in load_log_page(tenant, row.request_id, owner), str(call)[:100]


@pytest.mark.parametrize(
    ("query", "advice", "kept"),
    [
        ("delete_linked=perhaps", 'Change delete_linked from "perhaps" to false.', "delete_linked=false"),
        ("delete_linked=yes&source=N8N", 'Change delete_linked from "yes" to true.', "source=N8N"),
        ("delete_linked=1", "Change delete_linked from 1 to true.", "delete_linked=true"),
    ],
)
def test_a_deletion_of_one_memory_is_corrected_at_its_address(
    tenant: Tenant, mem0: Mem0, kim: str, load_refused_page: LoadRefused, query: str, advice: str, kept: str
) -> None:
    first, *_ = store_three(mem0, kim)

    page = load_refused_page("DELETE", f"/v1/memories/{first}/?{query}")

    assert advice in page
    command = command_in(page, tenant)
    assert kept in command
    assert "cascade_count" in run(command)
    assert sorted(mem0.listed({"user_id": kim})) == ["Item 1.", "Item 2."]


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        ("userid={kim}", "Rename userid to user_id."),
        ("user_id={kim}&meta_data={{'a': 1}}", "Rename meta_data to metadata."),
        ("filters={kim}", 'Change filters from "{kim}" to {{"user_id": "{kim}"}}.'),
    ],
)
def test_a_deletion_of_all_that_somebody_has_is_corrected_and_deletes_of_nobody_else(
    tenant: Tenant, mem0: Mem0, kim: str, load_refused_page: LoadRefused, query: str, advice: str
) -> None:
    lee = f"lee-{kim}"
    mem0.store("Kim's.", kim, metadata={"a": 1})
    mem0.store("Lee's.", lee, metadata={"a": 1})

    page = load_refused_page("DELETE", f"/v1/memories/?{query.format(kim=kim)}")

    assert advice.format(kim=kim) in page
    assert run(command_in(page, tenant))["message"] == "Memories deleted successfully!"
    assert mem0.listed({"user_id": kim}) == []
    assert mem0.listed({"user_id": lee}) == ["Lee's."]


@pytest.mark.parametrize(
    ("kind", "named", "meant"),
    [
        ("users", "user_id", "user"),
        ("User", "user_id", "user"),
        ("agents", "agent_id", "agent"),
        ("apps", "app_id", "app"),
    ],
)
def test_a_deletion_of_an_entity_whose_type_is_misspelt_is_corrected(
    tenant: Tenant, mem0: Mem0, kim: str, load_refused_page: LoadRefused, kind: str, named: str, meant: str
) -> None:
    mem0.store("Its own.", **{named: "a/b@c"})
    mem0.store("Kim's.", kim)

    page = load_refused_page("DELETE", f"/v2/entities/{kind}/a%2Fb%40c/")

    assert f'Change entity_type from "{kind}" to "{meant}".' in page
    command = command_in(page, tenant)
    assert f"/v2/entities/{meant}/a%2Fb%40c/" in command
    assert run(command)["message"] == "Entity deleted successfully!"
    assert mem0.listed({named: "a/b@c"}) == []
    assert mem0.listed({"user_id": kim}) == ["Kim's."]


def test_an_address_of_which_nobody_knows_what_is_a_name_is_not_kept(
    tenant: Tenant, mem0: Mem0, owner: Client
) -> None:
    calls = [("DELETE", f"/v2/entities/{path}/", None) for path in ("kim/user", "planet/kim", "user/%20")]

    for row in send_and_find(mem0, tenant, calls, {400}):
        assert "kim" not in f"{row.request_body}{row.response_body}{row.subjects}{row.path}"
        assert 'id="corrected' not in load_log_page(tenant, row.request_id, owner)


def test_what_would_delete_more_than_was_meant_is_not_shown(
    tenant: Tenant, mem0: Mem0, owner: Client
) -> None:
    calls = [("DELETE", f"/v1/memories/?user_id=kim&{more}", None) for more in ("tenant=x", "older_than=7")]

    for row in send_and_find(mem0, tenant, calls, {400}):
        page = load_log_page(tenant, row.request_id, owner)
        assert 'id="corrected' not in page
        assert "kim" in command_in(page, tenant, "as-curl")


def test_a_deletion_that_was_sent_as_a_body_is_shown_as_it_was_sent(
    tenant: Tenant, mem0: Mem0, kim: str, load_refused_page: LoadRefused
) -> None:
    mem0.store("Kim's.", kim)

    page = load_refused_page("DELETE", f"/v1/memories/?user_id={kim}", {"user_id": kim})

    assert 'id="corrected' not in page
    assert run(command_in(page, tenant, "as-curl"))["code"] != 0
    assert mem0.listed({"user_id": kim}) == ["Kim's."]


def test_of_a_deletion_that_was_done_the_log_keeps_nobodys_name(
    tenant: Tenant, mem0: Mem0, owner: Client
) -> None:
    queries = ("user_id=kim", "filters={'user_id': 'kim'}", "filters={'run_id': 'kim'}", "app_id=kim")
    calls = [("DELETE", f"/v1/memories/?{query}", None) for query in queries]

    for row in send_and_find(mem0, tenant, calls, {200}):
        assert "kim" not in f"{row.request_body}{row.response_body}{row.subjects}{row.subject_id}"
        page = owner.get(f"/p/{tenant.project_id}/logs/{row.request_id}/")
        assert b"as-curl" not in page.content


def test_a_deletion_that_was_refused_is_erased_from_the_log_with_whom_it_names(
    tenant: Tenant, mem0: Mem0, kim: str
) -> None:
    mem0.store("Hi.", kim)
    addresses = (
        f"memories/?user_id={kim}&tenant=x",
        f"memories/?filters={{'user_id': '{kim}'}}&tenant=x",
        f"memories/?user_id={kim}&user_id=lee",
        f"entities/users/{kim}/",
    )
    calls = [("DELETE", f"/v1/{address}", None) for address in addresses]
    rows = send_and_find(mem0, tenant, calls, {400, 404})
    assert all(kim in row.request_body for row in rows)

    mem0.ok("DELETE", f"/v2/entities/user/{kim}/")

    with tenant_scope(tenant.project):
        held = RequestLog.objects.within(tenant.project).filter(pk__in=[row.pk for row in rows])
        for row in held:
            assert kim not in f"{row.request_body}{row.response_body}{row.subjects}{row.subject_id}"
    assert len(held) == len(rows)


OPERATIONS = ("batch_delete", "batch_update", "delete", "delete_all", "delete_entity")
ENDS = {"odd": (40000, 400), "gone": (40001, 404), "busy": (40300, 429), "done": (0, 200)}


SENT = [
    "",
    "{}",
    "no JSON",
    '{"memories": [[], 7, {}, {"memory_id": []}]}',
    '{"memories": {"a": 1}, "filters": [7], "metadata": {"a": [1]}, "delete_linked": {}}',
    '{"entity_type": [7], "entity_id": {}}',
    '{"entity_type": "users"}',
]


def test_a_page_is_shown_whatever_was_sent(tenant: Tenant, owner: Client) -> None:
    ways = [(operation, end) for operation in OPERATIONS for end in ("odd", "gone")]
    ways += [("batch_update", "busy"), ("delete_all", "done")]  # of which nothing is corrected
    rows: list[dict[str, Any]] = [
        {
            "request_id": f"{operation}-{end}-{number}",
            "endpoint": f"mem0/{operation}",
            "method": "PUT" if operation == "batch_update" else "DELETE",
            "request_body": sent,
            "path": "/v1/memories/7/",
            "code": ENDS[end][0],
            "http_status": ENDS[end][1],
        }
        for operation, end in ways
        for number, sent in enumerate(SENT)
    ]
    store_rows(tenant, *rows)

    assert all(load_log_page(tenant, row["request_id"], owner) for row in rows)
