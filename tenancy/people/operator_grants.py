"""Changes that operators make to an account: extra quota, another plan. Each is an audit entry of the account."""

from __future__ import annotations

from datetime import UTC, date
from typing import Any

from django.db import transaction
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import clear_key_cache
from tenancy.metering.meters import Meter
from tenancy.metering.quota import get_first_of_month, get_next_month
from tenancy.models import Account, AuditEvent, Plan
from tenancy.models.usage import QuotaMonth

GRANTED = "quota.granted"
# Further ahead a plan of its own is the better answer.
MOST_MONTHS = 12


def list_months_ahead(count: int = MOST_MONTHS) -> list[date]:
    """First days of the current and the following months."""
    months = [get_first_of_month(timezone.now().astimezone(UTC).date())]
    while len(months) < count:
        months.append(get_next_month(months[-1]))
    return months


def give_quota(account: Account, meter: Meter, amount: int, reason: str, last: date | None = None) -> None:
    """Add to the quota of each month up to the one that begins on `last`; by default only the current one.

    A negative amount reverts what was given. Raises `InvalidParameters` when no more of it was given, and when
    `last` is no month of the next year.
    """
    ahead = list_months_ahead()
    last = last or ahead[0]
    if last not in ahead or amount == 0:
        raise InvalidParameters("an amount, and a month of the next twelve")
    with tenant_scope(Scope.of_account(account)):
        months = {
            month.isoformat(): _give_amount(account, meter, amount, month) for month in ahead if month <= last
        }
        detail: dict[str, Any] = {
            "meter": meter.value,
            "amount": amount,
            "through": last.isoformat(),
            "reason": reason,
            "before": {month: before for month, (before, _) in months.items()},
            "after": {month: after for month, (_, after) in months.items()},
        }
        record_event(account, None, GRANTED, account, detail=detail)


def _give_amount(account: Account, meter: Meter, amount: int, month: date) -> tuple[int, int]:
    """Grant the amount; return what had been given in that month before, and what is now."""
    rows = QuotaMonth.objects.within(account).filter(meter=meter.value, month=month)
    rows.get_or_create(meter=meter.value, month=month, defaults={"account": account})
    before: int = rows.select_for_update().get().granted
    if before + amount < 0:
        raise InvalidParameters(f"only {before} more of {meter} was given in {month:%Y-%m}")
    rows.update(granted=before + amount)
    return before, before + amount


def list_grants(account: Account, most: int = 20) -> list[AuditEvent]:
    """Grants, latest first; inside the account's scope."""
    events = AuditEvent.objects.within(account).filter(action=GRANTED)
    return list(events.order_by("-created_at", "-pk")[:most])


@transaction.atomic
def change_plan(account: Account, plan: Plan, reason: str) -> None:
    """Change the plan from the next call on. Nothing is deleted: what exceeds a smaller plan stays and cannot grow."""
    current = Account.objects.select_for_update(no_key=True, of=("self",)).get(pk=account.pk)
    if current.plan_id == plan.pk:
        raise InvalidParameters(f"the account has the plan {plan.name} already")
    detail = {"before": {"plan": current.plan_id}, "after": {"plan": plan.pk}, "reason": reason}
    Account.objects.filter(pk=account.pk).update(plan=plan)
    record_event(account, None, "account.plan_changed", account, detail=detail)
    transaction.on_commit(clear_key_cache)
    account.plan = plan
