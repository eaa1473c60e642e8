"""Storage limits of bases. After a change to a smaller plan nothing is deleted, and nothing more is accepted."""

from __future__ import annotations

from uuid import UUID

from knowledgebase.models import KnowledgeBase
from tenancy.errors import PlanLimitReached
from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.models import Plan

GIGABYTE = 1024**3


def get_bytes_allowed(account_id: UUID) -> int:
    return Plan.objects.get(account=account_id).knowledge_base_gigabytes * GIGABYTE


def reserve_space(locked: KnowledgeBase, size: int) -> None:
    """Count bytes as stored in the base; the caller has locked its row (`bases.lock_base`).

    Raises `PlanLimitReached` when they do not fit, and when the base is full already, whatever their size.
    """
    refuse_if_full(locked, size)
    locked.bytes_used += size
    locked.save(update_fields=["bytes_used"])


def refuse_if_full(base: KnowledgeBase, size: int = 0) -> None:
    """Raise `PlanLimitReached` before work whose result could not be stored."""
    _refuse_too_many(base.account_id)
    allowed = get_bytes_allowed(base.account_id)
    if base.bytes_used + size > allowed or base.bytes_used >= allowed:
        raise PlanLimitReached(
            f"the plan allows {allowed // GIGABYTE} GB in one knowledge base; delete files of it first"
        )


def _refuse_too_many(account_id: UUID) -> None:
    """Raise `PlanLimitReached` when the account has more bases than its plan allows, after a downgrade."""
    allowed = Plan.objects.get(account=account_id).knowledge_bases
    with tenant_scope(get_active_scope() or Scope(account_id, None)):
        there = KnowledgeBase.objects.within(account_id).filter(deleted_at=None).count()
    if there > allowed:
        raise PlanLimitReached(
            f"the plan allows {allowed} knowledge bases and the account has {there}; delete {there - allowed} first"
        )


def release_space(locked: KnowledgeBase, size: int) -> None:
    """Subtract the bytes of deleted files; the caller locked the row."""
    locked.bytes_used = max(0, locked.bytes_used - size)
    locked.save(update_fields=["bytes_used"])
