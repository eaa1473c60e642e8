"""An operator looks at an account's console: read only, seen, without anybody's words, and not for long."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from console.embedded.stack import Stack
from console.http.realtime.socket import NOT_A_MEMBER
from console.sign_in.operator_visit import OPEN_PAGES
from skills.models import Skill
from tenancy.audit.log import verify_chain
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tenancy.models.operator import OperatorVisit
from tenancy.people.operator_visits import end_overdue_visits
from tests.support.accounts.people import PASSWORD, get_owner, give_factor, sign_in
from tests.support.api_client import Api, Tenant
from tests.support.console.addresses import Address, addresses
from tests.support.console.operators import (
    done_by_operators,
    entries,
    failed_task,
    new_operator,
    operator_client,
    signed_in_long_ago,
)
from tests.support.console.skill_pages import made_skill
from tests.support.console.sockets import feed, read_close_code
from tests.support.waiting import LIMIT, wait_until

BANNER = "as an operator, read only"
CANARY = "Lisbon"
MEMORY_VIEWS = ("content", "sources", "history", "recall", "json")
SKILL_TABS = ("content", "versions", "evidence", "use", "install")


def visiting(tenant: Tenant, reason: str = "A ticket about quotas") -> Client:
    client = operator_client()
    answer = client.post(visit_page(tenant), {"reason": reason})
    assert answer.headers["Location"] == f"/a/{tenant.project.account_id}/"
    return client


def visit_page(tenant: Tenant) -> str:
    return f"/admin/tenancy/account/{tenant.project.account_id}/visit/"


def actions(tenant: Tenant) -> list[str]:
    return [entry.action for entry in done_by_operators(tenant.project.account)]


# The beginning and the end.


def test_a_visit_needs_a_reason_and_tells_the_account_of_it(tenant: Tenant) -> None:
    operator = new_operator()
    client = sign_in(operator)

    silent = client.post(visit_page(tenant), {"reason": " "})
    client.post(visit_page(tenant), {"reason": "A ticket about quotas"})
    client.get(f"/a/{tenant.project.account_id}/")
    client.get(f"/a/{tenant.project.account_id}/")
    client.get(f"/p/{tenant.project_id}/logs/", {"range": "1h"})
    client.get(f"/p/{tenant.project_id}/logs/")
    client.post("/admin/visit/end/")

    began, first, second, ended = done_by_operators(tenant.project.account)
    assert silent.status_code == 422
    assert (began.action, began.actor_label) == ("operator.visit_began", str(operator.pk))
    assert began.detail["reason"] == "A ticket about quotas"
    assert [first.detail["path"], second.detail["path"]] == [
        f"/a/{tenant.project.account_id}/",
        f"/p/{tenant.project_id}/logs/",
    ]
    assert (ended.action, ended.detail["addresses"]) == ("operator.visit_ended", 2)
    assert verify_chain(tenant.project.account_id).holds


def test_anyone_who_signed_in_long_ago_is_asked_who_they_are(tenant: Tenant) -> None:
    client = signed_in_long_ago(operator_client())

    answer = client.post(visit_page(tenant), {"reason": "x"})

    assert answer.headers["Location"].startswith("/accounts/reauthenticate/")
    assert actions(tenant) == []


def test_after_half_an_hour_it_is_over_by_itself(tenant: Tenant) -> None:
    client = visiting(tenant)
    OperatorVisit.objects.filter(account=tenant.project.account).update(
        began_at=timezone.now() - timedelta(minutes=31), until=timezone.now() - timedelta(minutes=1)
    )

    page = client.get(f"/p/{tenant.project_id}/logs/")
    again = client.get(f"/p/{tenant.project_id}/logs/")

    assert (page.status_code, again.status_code) == (404, 404)
    assert actions(tenant) == ["operator.visit_began", "operator.visit_ended"]
    assert done_by_operators(tenant.project.account)[-1].detail["because"] == "time is over"


def test_a_window_that_was_closed_ends_it_too(tenant: Tenant) -> None:
    client = visiting(tenant)
    past = timezone.now() - timedelta(seconds=1)
    OperatorVisit.objects.filter(account=tenant.project.account).update(until=past)

    end_overdue_visits()
    end_overdue_visits()

    assert actions(tenant) == ["operator.visit_began", "operator.visit_ended"]
    assert client.get(f"/a/{tenant.project.account_id}/").status_code == 404


def test_signing_out_ends_it(tenant: Tenant) -> None:
    visiting(tenant).post("/accounts/logout/")

    assert done_by_operators(tenant.project.account)[-1].detail["because"] == "signed out"


def test_another_visit_ends_the_one_before(tenant: Tenant, stranger: Tenant) -> None:
    client = visiting(tenant)
    client.post(visit_page(stranger), {"reason": "next"})

    assert actions(tenant) == ["operator.visit_began", "operator.visit_ended"]
    assert done_by_operators(tenant.project.account)[-1].detail["because"] == "began another"
    assert client.get(f"/a/{tenant.project.account_id}/").status_code == 404
    assert client.get(f"/a/{stranger.project.account_id}/").status_code == 200


def test_who_loses_the_permission_sees_nothing_more(tenant: Tenant) -> None:
    operator = new_operator()
    client = sign_in(operator)
    client.post(visit_page(tenant), {"reason": "x"})
    operator.user_permissions.clear()

    assert client.get(f"/a/{tenant.project.account_id}/").status_code == 404


def test_without_a_visit_an_operator_sees_no_console(tenant: Tenant) -> None:
    client = operator_client()

    assert client.get(f"/a/{tenant.project.account_id}/").status_code == 404
    assert client.get(f"/p/{tenant.project_id}/logs/").status_code == 404


def test_a_visit_opens_one_account(tenant: Tenant, stranger: Tenant) -> None:
    client = visiting(tenant)

    assert client.get(f"/a/{stranger.project.account_id}/").status_code == 404
    assert client.get(f"/p/{stranger.project_id}/logs/").status_code == 404


def test_an_account_that_everybody_left_can_be_visited(tenant: Tenant) -> None:
    client = visiting(tenant)
    tenant.project.account.memberships.all().delete()

    page = client.get(f"/a/{tenant.project.account_id}/members/")

    assert page.status_code == 200
    assert tenant.email not in page.content.decode()


def test_not_even_an_account_that_the_operator_is_a_member_of(
    tenant: Tenant, stranger: Tenant, both: Client
) -> None:
    both.post(visit_page(stranger), {"reason": "A ticket"})

    answers = [
        both.get(path) for path in (f"/a/{tenant.project.account_id}/", f"/p/{tenant.project_id}/logs/")
    ]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert actions(stranger) == ["operator.visit_began"]


def test_a_visit_takes_no_file_with_it(tenant: Tenant) -> None:
    client = visiting(tenant)
    usage = f"/a/{tenant.project.account_id}/usage/"

    assert client.get(usage).status_code == 200
    assert client.get(usage, {"format": "csv"}).status_code == 403


def test_who_has_to_say_again_who_they_are_can_during_a_visit(tenant: Tenant, stranger: Tenant) -> None:
    client = signed_in_long_ago(visiting(tenant))

    asked = client.post(visit_page(stranger), {"reason": "next"}).headers["Location"]
    client.post(asked, {"password": PASSWORD})
    begun = client.post(visit_page(stranger), {"reason": "next"})

    assert asked.startswith("/accounts/reauthenticate/")
    assert begun.headers["Location"] == f"/a/{stranger.project.account_id}/"


def test_home_is_the_account_that_is_visited(tenant: Tenant) -> None:
    assert visiting(tenant).get("/home/").headers["Location"] == f"/a/{tenant.project.account_id}/"


def test_one_visit_that_cannot_be_ended_keeps_no_other_open(tenant: Tenant, stranger: Tenant) -> None:
    visiting(tenant)
    visiting(stranger)
    past = timezone.now() - timedelta(seconds=1)
    visits = OperatorVisit.objects.filter(account__in=[tenant.project.account, stranger.project.account])
    visits.update(until=past)

    with ThreadPoolExecutor(1) as beside, transaction.atomic():
        visits.select_for_update().get(account=stranger.project.account)  # the first that a round comes to
        beside.submit(a_round_that_does_not_wait).result(LIMIT)
        assert visits.get(account=tenant.project.account).ended_at == past
    assert actions(tenant)[-1] == "operator.visit_ended"


def a_round_that_does_not_wait() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '100ms'")
    end_overdue_visits()
    connection.close()


# Nothing is changed.

ALL = addresses()


def parameters(tenant: Tenant) -> dict[str, Any]:
    return {"project_id": tenant.project_id, "account_id": tenant.project.account_id}


def test_whatever_is_sent_to_any_page_is_refused(tenant: Tenant) -> None:
    client = visiting(tenant)
    before = len(entries(tenant.project.account))

    for number, address in enumerate(ALL):
        # The pages' forms and buttons post; what else could change something is refused at the same place.
        methods = ("post", "put", "patch", "delete") if number % 20 == 0 else ("post",)
        for method in methods:
            answer = getattr(client, method)(address.path(**parameters(tenant)))
            assert answer.status_code == 403, (method, address.name)
            assert "nothing was changed" in answer.content.decode(), address.name

    assert len(entries(tenant.project.account)) == before


@pytest.mark.parametrize(
    "path", ["/admin/queues/run-again/", "/accounts/password/change/", "/me/delete/", "/admin/tenancy/plan/"]
)
def test_not_even_in_ones_own_name(tenant: Tenant, path: str) -> None:
    assert visiting(tenant).post(path).status_code == 403


@pytest.fixture
def both(tenant: Tenant) -> Client:
    """An owner who is an operator too, and visits the account of their own."""
    owner = get_owner(tenant)
    owner.is_staff = True
    owner.save(update_fields=["is_staff"])
    give_factor(owner)
    owner.user_permissions.add(*Permission.objects.filter(codename__in=["add_operatorvisit", "view_account"]))
    client = sign_in(owner)
    client.post(visit_page(tenant), {"reason": "my own"})
    return client


def test_an_owner_who_is_an_operator_too_changes_nothing_during_a_visit(tenant: Tenant, both: Client) -> None:
    answer = both.post(f"/a/{tenant.project.account_id}/projects/new/", {"name": "new"})

    assert answer.status_code == 403
    assert list(tenant.project.account.projects.values_list("name", flat=True)) == ["default"]


def test_no_socket_stays_open_during_a_visit(stack: Stack, tenant: Tenant, both: Client) -> None:
    with feed(stack, tenant, both) as socket:
        assert read_close_code(socket) == NOT_A_MEMBER
    both.post("/admin/visit/end/")
    with feed(stack, tenant, both) as socket:
        assert json.loads(socket.recv(LIMIT))["topic"] == "hello"


# Nobody's words and no secret.


@pytest.fixture
def talked(tenant: Tenant, api: Api) -> Tenant:
    api.add("kim", f"I live in {CANARY}.")
    made_skill(tenant, f"How to find {CANARY}", user="kim")
    return tenant


def reading(address: Address, client: Client, tenant: Tenant, **known: Any) -> Any:
    return client.get(address.path(**parameters(tenant), **known))


def has_log(tenant: Tenant) -> bool:
    with tenant_scope(tenant.project):
        return bool(RequestLog.objects.within(tenant.project).filter(endpoint="search/memory").exists())


def test_every_page_shows_the_banner_and_nobodys_words(talked: Tenant, api: Api) -> None:
    (fact,) = api.search("kim", f"Who lives in {CANARY}?")["memory_detail_list"]
    wait_until(lambda: has_log(talked))
    with tenant_scope(talked.project):
        skill = Skill.objects.within(talked.project.account).first()
        log = RequestLog.objects.within(talked.project).latest("created_at")
    known = {"memory_id": fact["id"], "skill_id": skill.pk, "request_id": log.request_id}
    client, shown = visiting(talked), set()

    for address in ALL:
        answer = reading(address, client, talked, **known)
        page = answer.content.decode() if not answer.streaming else ""
        assert CANARY not in page, address.name
        assert talked.key[:12] not in page, address.name
        if answer.status_code == 200 and answer["content-type"].startswith("text/html"):
            assert BANNER in page, address.name
            shown.add(address.name)

    opened = (
        "overview projects members usage limits quickstart api_keys memories knowledge skills skill spaces"
    )
    assert {*opened.split(), "sessions", "settings", "logs", "log"} <= shown
    guarded = {address.name for address in ALL if address.needs and address.needs[0] != "person"}
    assert shown & guarded <= OPEN_PAGES
    parts = [f"memories/?open={fact['id']}&view={view}&question=Who" for view in MEMORY_VIEWS]
    parts += [f"skills/{skill.pk}/?tab={tab}" for tab in SKILL_TABS]
    for part in parts:
        page = client.get(f"/p/{talked.project_id}/{part}")
        assert (page.status_code, CANARY in page.content.decode()) == (200, False), part


def test_why_work_failed_is_told_by_its_code_alone(tenant: Tenant) -> None:
    failed_task(tenant.project, error_text=f"I live in {CANARY}.", error_code="KeyError")
    quickstart = f"/p/{tenant.project_id}/quickstart/"

    page = visiting(tenant).get(quickstart).content.decode()

    assert (CANARY in page, "KeyError" in page) == (False, True)
    assert CANARY in sign_in(get_owner(tenant)).get(quickstart).content.decode()


def test_words_cannot_be_found_out_by_searching(talked: Tenant) -> None:
    client = visiting(talked)
    # The request is in the log a moment after its answer.
    wait_until(lambda: b"<tr" in client.get(f"/p/{talked.project_id}/logs/").content)

    for page in ("memories", "logs"):
        hit = client.get(f"/p/{talked.project_id}/{page}/", {"q": CANARY}).content
        miss = client.get(f"/p/{talked.project_id}/{page}/", {"q": "Reykjavik"}).content
        assert hit.count(b"<tr") == miss.count(b"<tr"), page
    # Outside the visit they are there.
    assert CANARY in sign_in(get_owner(talked)).get(f"/p/{talked.project_id}/memories/").content.decode()


def test_a_closed_page_says_so(tenant: Tenant) -> None:
    answer = visiting(tenant).get(f"/p/{tenant.project_id}/api-keys/new/")

    assert answer.status_code == 403
    assert "closed to operators" in answer.content.decode()
    assert BANNER in answer.content.decode()
