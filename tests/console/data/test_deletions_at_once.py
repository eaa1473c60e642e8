"""Users deleted at once in one project: no deletion keeps another from ending."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from django.db import connections
from django.test import Client

from memories.consolidation.cube_locks import lock_cube
from memories.lifecycle.erase_subject import erase_subject, find_subject_cube
from memories.models import Memory
from memories.values import OwnerKind, Subject
from skills.models import SpaceUser
from skills.sessions.sessions import NewSession, create_session
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.skills.contract import connect_http
from tests.support.waiting import LIMIT, wait_until_somebody_waits

KIM, LOU = Subject(OwnerKind.END_USER, "kim"), Subject(OwnerKind.END_USER, "lou")


def delete_end_user_in_console(tenant: Tenant, console: Client) -> Any:
    sent = {"typed": "kim", "sessions": "yes", "confirmed": "yes"}
    return console.post(f"/p/{tenant.project_id}/users/kim/delete/", sent)


def delete_person_in_console(tenant: Tenant, console: Client) -> Any:
    with tenant_scope(tenant.project):
        person = SpaceUser.objects.within(tenant.project).get(identifier="kim")
    path = f"/p/{tenant.project_id}/spaces/people/{person.pk}/delete/"
    return console.post(path, {"typed": "kim", "memories": "yes"})


def delete_person_by_key(tenant: Tenant, console: Client) -> httpx.Response:
    with connect_http(tenant) as http:
        return http.delete("user/kim")


@pytest.mark.parametrize(
    "delete", [delete_end_user_in_console, delete_person_in_console, delete_person_by_key]
)
def test_two_users_are_deleted_at_once(
    tenant: Tenant, api: Api, delete: Callable[[Tenant, Client], Any]
) -> None:
    for user_id in ("kim", "lou"):
        api.add(user_id, "I live in Lisbon.", allow_public=True)
        create_session(tenant.project, NewSession(user_id, False, None))
    console = sign_in_owner(tenant)

    def delete_kim() -> Any:
        try:
            return delete(tenant, console)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as beside:
        with tenant_scope(tenant.project):
            lock_cube(find_subject_cube(tenant.project, KIM).pk)  # as a worker does that writes what kim said
            deleted = beside.submit(delete_kim)
            wait_until_somebody_waits()
            erase_subject(tenant.project, LOU)
        assert deleted.result(LIMIT).status_code in {200, 302}

    with tenant_scope(tenant.project):
        left = SpaceUser.objects.within(tenant.project).values_list("identifier", flat=True)
        assert "kim" not in left


def test_an_agent_and_a_user_who_spoke_with_it_are_deleted_at_once(tenant: Tenant, api: Api) -> None:
    spoken = {"agent_id": "helper", "messages": [{"role": "user", "content": "I live in Lisbon."}]}
    for named in ({"user_id": "lou"}, {}):
        api.data("add/message", {**spoken, **named, "conversation_id": "c", "async_mode": False})

    def delete_agent() -> int:
        shown = {"Authorization": f"Token {tenant.key}"}
        return httpx.delete(
            f"{tenant.url}/v2/entities/agent/helper/", headers=shown, timeout=LIMIT
        ).status_code

    with ThreadPoolExecutor(1) as beside:
        with tenant_scope(tenant.project):
            cube = find_subject_cube(tenant.project, LOU)
            assert list(Memory.objects.within(cube).filter(agent_id="helper").select_for_update(of=("self",)))
            deleted = beside.submit(delete_agent)
            wait_until_somebody_waits()
            erase_subject(tenant.project, LOU)
        assert deleted.result(LIMIT) == 200
