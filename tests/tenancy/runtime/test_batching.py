"""Rounds by the clock work behind a pooler that gives each transaction another connection."""

from __future__ import annotations

from django.db import DatabaseError, connection

from tenancy.models import Account, ApiKey
from tenancy.runtime.batching import BATCH, iterate_in_batches, run_for_each_owner
from tests.support.api_client import Tenant


def lasting_cursors() -> int:
    """Those that outlive their statement's transaction: the next connection of a pooler does not know them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_cursors WHERE is_holdable")
        return int(cursor.fetchone()[0])


def test_no_cursor_outlives_its_statement_while_a_round_is_under_way(
    tenant: Tenant, stranger: Tenant
) -> None:
    owners = Account.objects.filter(projects__in=[tenant.project_id, stranger.project_id])
    seen: list[int] = []

    def work(account: Account) -> int:
        seen.append(lasting_cursors())
        return 1

    assert run_for_each_owner("any", owners, work) == 2
    assert seen == [0, 0]


def test_owners_that_are_more_than_a_batch_all_have_their_turn_and_trouble_stops_nobody(
    tenant: Tenant,
) -> None:
    keys = [
        ApiKey(
            project=tenant.project,
            account=tenant.project.account,
            name=f"key {number}",
            public_id="mpg-0000",
            last_four="0000",
            digest=f"{tenant.project_id}{number}".encode(),
        )
        for number in range(BATCH + 3)
    ]
    ApiKey.objects.bulk_create(keys)
    rows = ApiKey.objects.filter(project=tenant.project_id).order_by("-pk")

    assert [key.pk for key in iterate_in_batches(rows)] == list(rows.values_list("pk", flat=True))
    walk = iterate_in_batches(rows)
    next(walk)
    rows.last().delete()  # before its batch is read
    assert len(list(walk)) == BATCH + 2

    def fail(account: Account) -> int:
        raise DatabaseError("broken")

    assert run_for_each_owner("any", Account.objects.filter(pk=tenant.project.account_id), fail) == 0
