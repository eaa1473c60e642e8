"""Plans of one tenant's own, and what it has used of them."""

from __future__ import annotations

from tenancy.metering.meters import Meter
from tenancy.metering.rollup import fold_usage
from tenancy.metering.usage import Standing, list_meter_standings
from tests.support.api_client import Tenant


def give_plan(tenant: Tenant, **limits: int | None) -> None:
    """A plan of the account's own, before its first request: keys are remembered for a second."""
    account = tenant.project.account
    plan = account.plan
    is_new = plan.pk != tenant.project_id
    plan.pk = plan.name = tenant.project_id
    plan.is_listed = False
    for name, value in limits.items():
        setattr(plan, name, value)
    plan.save(force_insert=is_new)
    type(account).objects.filter(pk=account.pk).update(plan=plan)


def standing(tenant: Tenant, meter: Meter) -> Standing:
    """As the usage page shows it: the same before and after what was settled is folded into the days."""
    account = tenant.project.account
    before = {standing.meter: standing for standing in list_meter_standings(account)}[meter]
    fold_usage(account.pk)
    after = {standing.meter: standing for standing in list_meter_standings(account)}[meter]
    assert (before.used, before.left) == (after.used, after.left)
    return after
