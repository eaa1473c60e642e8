"""The card that makes memories anew: preview, run and undo."""

from __future__ import annotations

import re

from memories.models import Task
from memories.values import TaskKind
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.waiting import look_until


def ended(tenant: Tenant, number: int) -> bool:
    with tenant_scope(tenant.project):
        tasks = Task.objects.within(tenant.project).filter(kind=TaskKind.REEXTRACT, state="completed")
        return bool(tasks.count() == number)


def test_a_run_is_previewed_made_and_undone(api: Api, tenant: Tenant) -> None:
    api.add("kim", "I live in Porto.")
    client = sign_in_owner(tenant)
    address = f"/p/{tenant.project_id}/settings/memories/"
    htmx = {"HTTP_HX_REQUEST": "true"}

    preview = client.post(address, {"reextract-mode": "preview"}, **htmx).content.decode()
    assert "Nothing would change for the newest messages" in preview
    look_until(lambda: ended(tenant, 1), bool, otherwise="preview")

    client.post(address, {"reextract-mode": "apply", "reextract-user_id": "kim"}, **htmx)
    look_until(lambda: ended(tenant, 2), bool, otherwise="run")
    card = client.get(address, **htmx).content.decode()
    assert "1 kept" in card
    (run,) = re.findall(r'name="reextract-run" value="([^"]+)"', card)

    client.post(address, {"reextract-mode": "undo", "reextract-run": run}, **htmx)
    look_until(lambda: ended(tenant, 3), bool, otherwise="undo")
    assert "reextract-run" not in client.get(address, **htmx).content.decode()


def test_an_unknown_user_is_refused(tenant: Tenant) -> None:
    client = sign_in_owner(tenant)

    answer = client.post(
        f"/p/{tenant.project_id}/settings/memories/",
        {"reextract-mode": "apply", "reextract-user_id": "nobody"},
        HTTP_HX_REQUEST="true",
    )

    assert answer.status_code == 422
    assert "has no data of this end user" in answer.content.decode()
