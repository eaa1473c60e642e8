"""What is over the limits of a smaller plan: nothing is deleted, but nothing is added until it fits again."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from tenancy.metering.meters import Meter, get_monthly_allowance
from tenancy.metering.usage import list_meter_standings
from tenancy.models import Account, Plan


@dataclass(frozen=True, slots=True)
class UsedUp:
    """A meter of which more was used this month than the plan allows: such calls are refused until next month."""

    meter: Meter
    used: int
    allowed: int


def list_quotas_used_up_under(account: Account, plan: Plan) -> list[UsedUp]:
    quotas = []
    for standing in list_meter_standings(account):
        allowed = get_monthly_allowance(plan, standing.meter)
        if allowed is not None and standing.used >= allowed:
            quotas.append(UsedUp(standing.meter, standing.used, allowed))
    return quotas


def count_projects_with_too_many_keys(account: Account, plan: Plan) -> int:
    """Projects with more keys than the plan allows: the keys still work, but no more can be created."""
    keys = Count("api_keys", filter=Q(api_keys__revoked_at=None))
    return account.projects.annotate(keys=keys).filter(keys__gt=plan.keys_per_project).count()
