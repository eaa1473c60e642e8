"""Knowledge bases over the limits of a smaller plan: they can be searched, but nothing is added to them."""

from __future__ import annotations

from dataclasses import dataclass

from knowledgebase.bases.bases import list_account_bases
from knowledgebase.bases.limits import GIGABYTE
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Plan


@dataclass(frozen=True, slots=True)
class BasesOverLimits:
    """Numbers of existing (`there`) and allowed bases, and the names of those at or over their size limit (`full`)."""

    there: int
    allowed: int
    full: list[str]
    gigabytes: int

    @property
    def too_many(self) -> int:
        return max(0, self.there - self.allowed)


def find_bases_over_limits(account: Account, plan: Plan) -> BasesOverLimits:
    most = plan.knowledge_base_gigabytes * GIGABYTE
    with tenant_scope(Scope.of_account(account)):
        bases = list_account_bases(account)
        full = list(bases.filter(bytes_used__gte=most).order_by("name").values_list("name", flat=True))
        return BasesOverLimits(bases.count(), plan.knowledge_bases, full, plan.knowledge_base_gigabytes)
