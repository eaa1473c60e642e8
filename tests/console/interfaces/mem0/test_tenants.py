"""Another developer's key gets for every id exactly what a made-up id gets, from every route of mem0's contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest

from console.embedded.stack import Stack
from console.interfaces.mem0.urls import urlpatterns
from tenancy.keys.keys import create_key
from tenancy.models import Project
from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0
from tests.support.tenants import make_tenant

SECRET = "I live in Porto."
IDS = ("user", "agent", "app", "run")


@dataclass(frozen=True)
class Owner:
    """Who holds something, and the ids of it: one name for the user, the agent, the app and the run."""

    tenant: Tenant
    name: str
    memory: str
    event: str


@pytest.fixture(scope="module")
def owner(stack: Stack) -> Owner:
    tenant = make_tenant(stack)
    name = f"kim-{uuid4().hex[:8]}"
    with Mem0(tenant) as mem0:
        body = {"messages": SECRET, "infer": False, "metadata": {"scene": name}}
        added = mem0.ok("POST", "/v3/memories/add/", body | {f"{kind}_id": name for kind in IDS})
        return Owner(tenant, name, added["results"][0]["id"], added["event_id"])


@pytest.fixture(scope="module")
def stranger(stack: Stack) -> Tenant:
    return make_tenant(stack)


def asks(name: str, memory: str, event: str, org: str, project: str) -> list[tuple[str, str, Any]]:
    """Every route that is served, with every id it takes."""
    item = {"memory_id": memory}
    calls: list[tuple[str, str, Any]] = []
    for kind in IDS:
        who = {f"{kind}_id": name}
        calls += [
            ("POST", "/v3/memories/search/", {"query": SECRET, "threshold": 0, "filters": who}),
            ("POST", "/v3/memories/", {"filters": who}),
            ("POST", "/v2/memories/", {"filters": who}),
            ("POST", "/v2/memories/search/", {"query": SECRET, "threshold": 0, **who}),
            ("POST", "/v1/memories/search/", {"query": SECRET, "threshold": 0, **who}),
            ("GET", f"/v1/memories/?{kind}_id={name}", None),
            ("GET", f"/v2/entities/{kind}/{name}/", None),
            ("DELETE", f"/v1/memories/?{kind}_id={name}", None),
            ("DELETE", f"/v2/entities/{kind}/{name}/", None),
            ("DELETE", f"/v1/entities/{kind}/{name}/", None),
        ]
    anybody = {"OR": [{f"{kind}_id": "*"} for kind in IDS]}
    return [
        *calls,
        ("POST", "/v3/memories/search/", {"query": SECRET, "threshold": 0, "filters": anybody}),
        ("POST", "/v3/memories/", {"filters": {"AND": [anybody, {"memory_ids": [memory]}]}}),
        ("POST", "/v3/memories/", {"filters": {"AND": [anybody, {"metadata": {"scene": name}}]}}),
        ("GET", f"/v2/entities/user/{name}/profile/", None),
        ("GET", f"/v1/memories/{memory}/", None),
        ("GET", f"/v1/memories/{memory.upper()}/", None),
        ("GET", f"/v1/memories/{memory}/history/", None),
        ("PUT", f"/v1/memories/{memory}/", {"text": "I live in Oslo."}),
        ("DELETE", f"/v1/memories/{memory}/", None),
        ("DELETE", f"/v1/memories/{memory}/?delete_linked=true", None),
        ("PUT", "/v1/batch/", {"memories": [{**item, "text": "I live in Oslo."}]}),
        ("DELETE", "/v1/batch/", {"memories": [item]}),
        ("POST", "/v1/feedback/", {**item, "feedback": "VERY_NEGATIVE"}),
        ("GET", f"/v1/event/{event}/", None),
        ("GET", f"/api/v1/orgs/organizations/{org}/projects/{project}/", None),
        ("PATCH", f"/api/v1/orgs/organizations/{org}/projects/{project}/", {"usecase": "x"}),
    ]


def without_names(answer: httpx.Response, *names: str) -> tuple[int, str, list[str]]:
    """Status, body and names of headers, without the ids that were asked for, and of new events."""
    content = answer.json()
    if isinstance(content, dict) and "event_id" in content:
        content["event_id"] = "?"
    text = repr(content)
    for name in names:
        text = text.replace(name.upper(), "?").replace(name, "?")
    return answer.status_code, text, sorted(answer.headers)


def test_what_is_anothers_is_answered_like_what_never_was(owner: Owner, stranger: Tenant) -> None:
    project = owner.tenant.project
    theirs = (owner.name, owner.memory, owner.event, str(project.account_id), str(project.pk))
    made_up = (f"kim-{uuid4().hex[:8]}", *(str(uuid4()) for _ in range(4)))

    with Mem0(stranger) as mem0:
        for (method, path, foreign), (_, other, absent) in zip(asks(*theirs), asks(*made_up), strict=True):
            answer, expected = (
                mem0.request(method, path, json=foreign),
                mem0.request(method, other, json=absent),
            )
            assert without_names(answer, *theirs) == without_names(expected, *made_up), (method, path)
            assert "Porto" not in answer.text
        assert mem0.ok("GET", "/v1/entities/")["count"] == 0
        assert owner.event not in repr(mem0.ok("GET", "/v1/events/"))

    with Mem0(owner.tenant) as mem0:
        assert mem0.ok("GET", f"/v1/memories/{owner.memory}/")["memory"] == SECRET
        assert mem0.ok("GET", f"/v1/event/{owner.event}/")["status"] == "SUCCEEDED"


def test_a_key_of_another_project_of_the_account_reaches_nothing_either(owner: Owner) -> None:
    second = Project.objects.create(account=owner.tenant.project.account, name=uuid4().hex[:8])
    with Mem0(owner.tenant, key=create_key(second, "second").plaintext) as mem0:
        assert mem0.listed({"user_id": owner.name}) == []
        assert mem0.refusal("GET", f"/v1/memories/{owner.memory}/")[0] == 404
        assert mem0.refusal("DELETE", f"/v2/entities/user/{owner.name}/")[0] == 404


def test_every_route_is_asked_above_or_names_nothing() -> None:
    names_nothing = {"mem0/ping", "mem0/add", "mem0/entities", "mem0/events"}
    refused = {
        *("mem0/unserved", "mem0/exports", "mem0/summary", "mem0/profile_settings", "mem0/profile_jobs"),
        *("mem0/organizations", "mem0/webhooks"),
    }
    paths = [path.partition("?")[0].lstrip("/") for _, path, _ in asks("n", "m", "e", "o", "p")]
    for pattern in urlpatterns:
        if pattern.name not in names_nothing | refused:
            assert any(pattern.pattern.match(path) for path in paths), pattern.name


def test_who_has_another_contracts_memories_in_their_name_reads_them_only(
    stranger: Tenant, owner: Owner
) -> None:
    with Mem0(stranger) as mem0:
        mem0.store("I live in Oslo.", owner.name)
        mem0.ok("DELETE", f"/v2/entities/user/{owner.name}/")

    with Mem0(owner.tenant) as mem0:
        assert mem0.listed({"user_id": owner.name}) == [SECRET]
