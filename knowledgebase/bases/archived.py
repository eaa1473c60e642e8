"""What of the knowledge bases waits under a smaller plan: it can be searched, and nothing is added to it."""

from __future__ import annotations

from dataclasses import dataclass

from knowledgebase.bases.bases import bases_of_account
from knowledgebase.bases.limits import GIGABYTE
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Plan


@dataclass(frozen=True, slots=True)
class PausedBases:
    """`there` and `allowed` count bases; the `full` ones hold as much as one may, or more."""

    there: int
    allowed: int
    full: list[str]
    gigabytes: int

    @property
    def too_many(self) -> int:
        return max(0, self.there - self.allowed)


def paused_bases_under(account: Account, plan: Plan) -> PausedBases:
    most = plan.knowledge_base_gigabytes * GIGABYTE
    with tenant_scope(Scope.of_account(account)):
        bases = bases_of_account(account)
        full = list(bases.filter(bytes_used__gte=most).order_by("name").values_list("name", flat=True))
        return PausedBases(bases.count(), plan.knowledge_bases, full, plan.knowledge_base_gigabytes)
