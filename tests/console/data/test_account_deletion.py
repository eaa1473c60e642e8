"""An account goes with all that it holds, however much that is."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from console.data.erasure.delete_account import delete_account
from knowledgebase.bases.bases import lock_base
from knowledgebase.models import KnowledgeBase
from knowledgebase.removal import removal
from knowledgebase.removal.removal import erase_base
from memories.consolidation.cube_locks import lock_cube
from memories.models import MemCube, Memory
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Account
from tests.support.accounts.people import get_owner
from tests.support.api_client import Tenant
from tests.support.documents.policies import create_base_with_passages
from tests.support.waiting import LIMIT, wait_until_somebody_waits


def test_the_passages_of_its_bases_go_batch_by_batch(
    tenant: Tenant, stranger: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "BATCH", 50)
    account = tenant.project.account
    create_base_with_passages(tenant.project, [f"Rule {number} holds." for number in range(120)])
    theirs = create_base_with_passages(stranger.project, ["Their rule."])

    with CaptureQueriesContext(connection) as asked:
        delete_account(account, get_owner(tenant))

    assert sum(query["sql"].startswith('DELETE FROM "memories_memory"') for query in asked) >= 3
    assert not Account.objects.filter(pk=account.pk).exists()
    with connection.cursor() as cursor:
        for model in (Memory, MemCube, KnowledgeBase):
            cursor.execute(f"SELECT count(*) FROM {model._meta.db_table} WHERE account_id = %s", [account.pk])
            assert cursor.fetchone() == (0,)
    with tenant_scope(stranger.project.account):
        assert Memory.objects.within(theirs.cube_id).count() == 1


def test_a_base_that_a_worker_is_at_is_waited_for_before_its_cube_is_locked(tenant: Tenant) -> None:
    base = create_base_with_passages(tenant.project, ["Their rule."])

    def erase() -> None:
        try:
            erase_base(base)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as hands:
        with tenant_scope(tenant.project.account):  # as every worker does it: the base, then its cube
            lock_base(base)
            erased = hands.submit(erase)
            wait_until_somebody_waits()
            lock_cube(base.cube_id)
        erased.result(LIMIT)

    with tenant_scope(tenant.project.account):
        assert not KnowledgeBase.objects.within(tenant.project.account_id).filter(pk=base.pk).exists()
