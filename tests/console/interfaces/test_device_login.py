"""`engram login`: a machine shows a code, a member approves it in the browser, and the machine gets a key."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from django.db import transaction
from django.test import Client

from console.interfaces.oauth.device import approve_request, find_request
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import ApiKey, AuditEvent, Project, Role
from tenancy.projects.projects import archive_project
from tests.support.accounts.people import add_member, get_owner, new_person, sign_in, sign_in_owner
from tests.support.api_client import Tenant
from tests.support.waiting import look_until, wait_until, wait_until_somebody_waits

CLIENT = {"client_id": "engram-cli"}
GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass
class Machine:
    """A machine that signs in."""

    http: httpx.Client
    asked: dict[str, Any]
    address: str = ""

    @property
    def code(self) -> str:
        return str(self.asked["user_code"])

    def poll(self, **changed: str) -> httpx.Response:
        form = {"grant_type": GRANT, "device_code": self.asked["device_code"], **CLIENT, **changed}
        return self.http.post("/identity/o/api/token", data=form)

    def answer(self) -> dict[str, Any]:
        """The next answer that does not ask to wait."""
        answer: dict[str, Any] = look_until(
            lambda: self.poll().json(), lambda body: body.get("error") != "slow_down", otherwise="an answer"
        )
        return answer


@pytest.fixture
def address() -> str:
    """One of a machine's own: twenty codes a minute are given out to each."""
    return ".".join(["127", *map(str, secrets.token_bytes(2)), "2"])


@pytest.fixture
def http(tenant: Tenant, address: str) -> Iterator[httpx.Client]:
    transport = httpx.HTTPTransport(local_address=address)
    with httpx.Client(base_url=tenant.url, transport=transport, trust_env=False, timeout=120) as client:
        yield client


@pytest.fixture
def machine(http: httpx.Client, address: str) -> Machine:
    return Machine(http, ask(http).json(), address)


def ask(http: httpx.Client, **form: str) -> httpx.Response:
    return http.post("/identity/o/api/device/code", data={"device_name": "Kim's laptop", **CLIENT, **form})


def approve(who: Client, machine: Machine, tenant: Tenant, **changed: Any) -> Any:
    form = {
        "code": machine.code,
        "project": tenant.project_id,
        "scopes": ["read", "write"],
        "action": "approve",
    }
    return who.post("/device/", form | changed)


def test_the_machine_gets_a_key_of_the_chosen_project_with_the_chosen_scopes(
    machine: Machine, tenant: Tenant
) -> None:
    assert re.fullmatch(r"[A-Z0-9]{4}-[A-Z0-9]{4}", machine.code)
    assert machine.asked["verification_uri"].endswith("/device/")
    assert machine.asked["verification_uri_complete"].endswith(f"/device/?code={machine.code}")
    assert machine.asked["interval"] > 0
    assert machine.answer()["error"] == "authorization_pending"
    member = sign_in_owner(tenant)

    page = member.get("/device/", {"code": machine.code.replace("-", "").lower()})
    done = approve(member, machine, tenant)

    assert "Kim&#x27;s laptop" in page.content.decode()
    assert machine.code in page.content.decode()
    assert machine.address in page.content.decode()
    assert (done.status_code, done["Cache-Control"]) == (200, "no-store")
    answer = machine.answer()
    assert (answer["token_type"], answer["scope"]) == ("Bearer", "read write")
    assert answer["project"]["id"] == tenant.project_id
    key = ApiKey.objects.get(pk=answer["key_id"])
    assert (key.name, key.scopes, key.created_by) == (
        "engram on Kim's laptop",
        ["read", "write"],
        get_owner(tenant),
    )
    with tenant.api(answer["access_token"]) as api:
        assert api.listed("kim")["total"] == 0
        assert api.call("chat", {}).status_code == 401


def test_the_key_is_answered_once_and_revoked_on_the_keys_page(machine: Machine, tenant: Tenant) -> None:
    member = sign_in_owner(tenant)
    approve(member, machine, tenant)
    secret = machine.answer()["access_token"]

    assert machine.poll().json()["error"] == "expired_token"
    assert approve(member, machine, tenant).status_code == 422
    page = member.get(f"/p/{tenant.project_id}/api-keys/").content.decode()
    assert "engram on Kim&#x27;s laptop" in page
    assert secret not in page
    key = ApiKey.objects.get(project=tenant.project, name="engram on Kim's laptop")
    member.post(f"/p/{tenant.project_id}/api-keys/{key.pk}/revoke/", {"confirmed": "yes"})
    with tenant.api(secret) as api:
        wait_until(lambda: api.call("get/memory", {"user_id": "kim"}).status_code == 401)


def test_of_many_polls_at_once_one_gets_the_key(machine: Machine, tenant: Tenant) -> None:
    approve(sign_in_owner(tenant), machine, tenant)

    with ThreadPoolExecutor(8) as threads:
        answers = [answer.json() for answer in threads.map(lambda _: machine.poll(), range(8))]

    assert sum("access_token" in answer for answer in answers) == 1
    assert ApiKey.objects.filter(project=tenant.project, name__startswith="engram on").count() == 1


def test_a_poll_during_an_approval_waits_for_it(machine: Machine, tenant: Tenant) -> None:
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            project = Project.objects.get(pk=tenant.project_id)
            assert approve_request(get_owner(tenant), find_request(machine.code), project, ["read"])
            poll = threads.submit(machine.poll)
            wait_until_somebody_waits()

        assert "access_token" in poll.result().json()


def test_approval_and_key_are_in_the_audit_log(machine: Machine, tenant: Tenant) -> None:
    approve(sign_in_owner(tenant), machine, tenant)
    key_id = machine.answer()["key_id"]

    with tenant_scope(Scope.of_account(tenant.project.account)):
        events = AuditEvent.objects.within(tenant.project.account).order_by("created_at")
        events_by_action = {event.action: event for event in events}
    assert events_by_action["device.approved"].detail["machine"] == "Kim's laptop"
    assert events_by_action["key.created"].object_id == key_id
    assert events_by_action["key.created"].actor_id == get_owner(tenant).pk


def test_who_asks_too_often_is_told_to_slow_down(machine: Machine) -> None:
    assert machine.poll().json()["error"] == "authorization_pending"
    answer = machine.poll()

    assert (answer.status_code, answer.json()["error"]) == (400, "slow_down")


def test_a_refusal_ends_the_waiting(machine: Machine, tenant: Tenant) -> None:
    page = approve(sign_in_owner(tenant), machine, tenant, action="refuse")

    assert "Refused" in page.content.decode()
    assert machine.answer()["error"] == "access_denied"
    assert not ApiKey.objects.filter(project=tenant.project, name__startswith="engram on").exists()


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"client_id": "somebody-else"}, "invalid_request"),
        ({"client_id": ""}, "invalid_request"),
        ({"scope": "read everything"}, "invalid_scope"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(http: httpx.Client, form: dict[str, str], error: str) -> None:
    answer = ask(http, **form)

    assert (answer.status_code >= 400, answer.json()["error"]) == (True, error)


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"device_code": "made-up"}, "expired_token"),
        ({"device_code": "x" * 5_000}, "expired_token"),
        ({"device_code": "a\n好"}, "expired_token"),
        ({"client_id": "somebody-else"}, "invalid_client"),
        ({"device_code": ""}, "invalid_request"),
    ],
)
def test_what_cannot_be_fetched_is_refused(machine: Machine, form: dict[str, str], error: str) -> None:
    answer = machine.poll(**form)

    assert (answer.status_code >= 400, answer.json()["error"]) == (True, error)


@pytest.mark.parametrize("code", ["AAAA-AAAA", "x", "'; --", "ü" * 8, "A" * 10_000])
def test_a_wrong_code_is_said_beside_the_field(tenant: Tenant, code: str) -> None:
    page = sign_in_owner(tenant).get("/device/", {"code": code})

    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()


def test_who_is_not_signed_in_signs_in_first_and_comes_back(machine: Machine) -> None:
    answer = Client(HTTP_HOST="localhost").get("/device/", {"code": machine.code})

    assert answer.status_code == 302
    assert f"code%3D{machine.code}" in answer.headers["Location"]


def test_a_machine_is_let_into_projects_where_one_may_create_keys_only(
    machine: Machine, tenant: Tenant, stranger: Tenant
) -> None:
    viewer = sign_in(add_member(tenant.project.account, Role.VIEWER))
    alone = sign_in(new_person())

    for who in (viewer, alone):
        assert "Ask an owner or admin" in who.get("/device/", {"code": machine.code}).content.decode()
        assert approve(who, machine, tenant).status_code == 422
    assert approve(sign_in_owner(stranger), machine, tenant).status_code == 422
    assert machine.answer()["error"] == "authorization_pending"


def test_developers_give_machines_no_scope_of_keys(http: httpx.Client, tenant: Tenant) -> None:
    machine = Machine(http, ask(http, scope="read keys").json())
    developer = sign_in(add_member(tenant.project.account, Role.DEVELOPER))

    refused = approve(developer, machine, tenant, scopes=["read", "keys"])
    more = approve(developer, machine, tenant, scopes=["read", "delete"])
    done = approve(sign_in_owner(tenant), machine, tenant, scopes=["read", "keys"])

    assert "Only owners and admins" in refused.content.decode()
    assert more.status_code == 422
    assert done.status_code == 200
    assert machine.answer()["scope"] == "read keys"


@pytest.mark.parametrize("loss", ["archived", "removed"])
def test_an_approval_ends_with_the_right_to_give_it(machine: Machine, tenant: Tenant, loss: str) -> None:
    developer = add_member(tenant.project.account, Role.DEVELOPER)
    approve(sign_in(developer), machine, tenant)

    if loss == "archived":
        archive_project(tenant.project, get_owner(tenant))
    else:
        developer.memberships.all().delete()

    assert machine.answer()["error"] == "access_denied"


def test_allauths_own_page_leads_to_ours(tenant: Tenant) -> None:
    answer = sign_in_owner(tenant).get("/identity/o/device", {"code": "ABCD-EFGH"})

    assert answer.headers["Location"] == "/device/?code=ABCD-EFGH"


def test_a_client_that_nobody_can_be_is_refused(http: httpx.Client) -> None:
    machine = Machine(http, {"device_code": "made-up"})
    answers = [ask(http, client_id="a\0b"), machine.poll(client_id="a\0b")]

    assert [(answer.status_code, answer.json()["error"]) for answer in answers] == [
        (400, "invalid_request")
    ] * 2
