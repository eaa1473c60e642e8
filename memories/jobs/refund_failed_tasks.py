"""Refund the cost of tasks that failed permanently, once each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from memories.models import MemCube
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.refunds import refund_cost
from tenancy.metering.rollup import fold_usage

# A file that cannot be read is its sender's; that a task of it was given up is not.
FAILED = "cost IS NOT NULL AND (state = 'dead' OR (state = 'failed' AND kind <> 'file'))"
WAITING = f"""
SELECT id, account_id, project_id, subject FROM memories_task WHERE {FAILED} ORDER BY finished_at LIMIT %s
"""  # noqa: S608  # no word of it comes from outside
OF_ONE = f"""
SELECT id, account_id, project_id, subject FROM memories_task WHERE {FAILED} AND id = %s
"""  # noqa: S608
TAKE = """
UPDATE memories_task task SET cost = NULL
  FROM (SELECT id, cost FROM memories_task WHERE id = %s AND cost IS NOT NULL FOR UPDATE) before
 WHERE task.id = before.id RETURNING before.cost::text
"""
BATCH = 500


@dataclass(frozen=True, slots=True)
class _Failed:
    id: UUID
    account: UUID
    project: UUID
    subject: UUID


def refund_failed(limit: int = BATCH) -> int:
    """Refund tasks that failed and were not refunded at once; return how many."""
    return sum(_refund_task(task) for task in _query_failed(WAITING, limit))


def refund_task(task_id: UUID) -> None:
    """Refund a task; nothing for one that did not fail, cost nothing, or was refunded before."""
    for task in _query_failed(OF_ONE, task_id):
        _refund_task(task)


def _query_failed(statement: str, value: int | UUID) -> list[_Failed]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [value])
        return [_Failed(*row) for row in cursor.fetchall()]


def _refund_task(task: _Failed) -> int:
    with tenant_scope(Scope(task.account, task.project)):
        with connection.cursor() as cursor:
            cursor.execute(TAKE, [task.id])
            row = cursor.fetchone()
        if row is None:
            return 0
        refund_cost(task.project, task.account, json.loads(row[0]), _get_subject(task))
    fold_usage(task.account)
    return 1


def _get_subject(task: _Failed) -> str:
    """The end user that the work was about: a task names cubes only."""
    cube = MemCube.objects.within(task.project).filter(pk=task.subject).first()
    return f"{cube.owner_kind}:{cube.owner_id}" if cube is not None else ""
