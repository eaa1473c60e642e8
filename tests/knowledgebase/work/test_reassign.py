"""A file whose project is deleted is processed for another one, or says that nobody can."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections, transaction

from knowledgebase.bases.bases import link_base, unlink_base
from knowledgebase.work.reassign import reassign_tasks
from tenancy.isolation.scoping import tenant_scope
from tests.support.api_client import Tenant
from tests.support.knowledge.files_at_work import (
    another_project,
    bring_one,
    fresh,
    make_base,
    put_off,
    texts,
    work_on,
)

POLICY = b"# Travel\n\nTrains are first class.\n\n# Software\n\nA licence costs at most 800 CNY."


@pytest.fixture(autouse=True)
def _tidy() -> Iterator[None]:
    yield
    connections.close_all()


def test_a_file_whose_project_is_deleted_is_gone_on_with_by_another(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    another = another_project(tenant)
    link_base(another, base)
    file = bring_one(another, base, "policy.md", POLICY)
    assert file.through_id == another.pk

    with tenant_scope(tenant.project.account):
        another.delete()
    with transaction.atomic():
        assert reassign_tasks(tenant.project.account) == 1
        put_off(tenant.project)
    work_on(file)

    assert (fresh(file).state, fresh(file).through_id) == ("completed", None)
    assert len(texts(base)) == 2
    assert reassign_tasks(tenant.project.account) == 0


def test_a_file_that_no_project_can_go_on_with_fails_and_says_so(tenant: Tenant) -> None:
    base = make_base(tenant.project)
    another = another_project(tenant)
    link_base(another, base)
    file = bring_one(another, base, "policy.md", POLICY)
    unlink_base(tenant.project, base)
    with tenant_scope(tenant.project.account):
        another.delete()

    reassign_tasks(tenant.project.account)

    assert fresh(file).state == "failed"
    assert "No project is linked" in fresh(file).reason
