"""Times in addresses of lists that somebody changed by hand."""

from __future__ import annotations

from uuid import UUID

from memories.models import Conversation
from tenancy.isolation.scoping import tenant_scope
from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant

KEY = UUID("12345678-1234-5678-1234-567812345678")
# Offsets that Postgres refuses, and times that no calendar has once they are in UTC.
ODD_TIMES = [
    "2026-01-01T00:00:00+16:00",
    "2026-01-01T00:00:00-23:59",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2026-13-01T00:00:00Z",
]


def test_lists_open_from_any_time_in_their_address(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Porto.")
    client = sign_in_owner(tenant)

    for time in ODD_TIMES:
        for page in ("tasks", "logs", "memories", "conversations", "users"):
            answer = client.get(f"/p/{tenant.project_id}/{page}/", {"after": f"{time}~{KEY}"})
            assert answer.status_code == 200, (page, time)
        user = client.get(f"/p/{tenant.project_id}/users/kim/", {"tab": "timeline", "before": time})
        assert user.status_code == 200, time


def test_a_deletion_up_to_an_odd_time_takes_nothing_that_is_newer(tenant: Tenant, api: Api) -> None:
    api.add("kim", "I live in Porto.")
    with tenant_scope(tenant.project):
        conversation = Conversation.objects.within(tenant.project).get()

    owner = sign_in_owner(tenant)
    for time in ODD_TIMES:
        answer = owner.post(
            f"/p/{tenant.project_id}/conversations/{conversation.pk}/memories/delete/",
            {"cutoff": time, "typed": "99"},
        )

        assert answer.status_code in {302, 422}, time
        memories = api.data("get/memory", {"user_id": "kim"})["memory_detail_list"]
        assert [memory["memory_value"] for memory in memories] == ["The user lives in Porto."], time
