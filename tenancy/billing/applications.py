"""Plan applications that operators decide by hand, where payments are not collected or for individual agreements.

What an operator decides is done inside `act_as`, which the pages of operators see to.
"""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import Conflict, InvalidParameters
from tenancy.models import Account, Plan, User
from tenancy.models.billing import PlanApplication
from tenancy.people.onboarding import FIRST_PLAN
from tenancy.people.operator_grants import change_plan
from tenancy.signals import billing_changed

State = PlanApplication.State


def apply_for_plan(account: Account, plan: Plan, owner: User) -> PlanApplication:
    """Apply for a plan. Raises `InvalidParameters` for the current plan and for one that is not applied for, `Conflict`
    while an application is open."""
    if plan.pk == account.plan_id:
        raise InvalidParameters(f"the account has the plan {plan.name} already")
    if plan.pk == FIRST_PLAN or not plan.is_listed:
        raise InvalidParameters(f"nobody can apply for the plan {plan.name}")
    with transaction.atomic():
        # Of two that apply at once the second waits here.
        Account.objects.select_for_update(of=("self",), no_key=True).get(pk=account.pk)
        if open_application(account) is not None:
            raise Conflict("another application is open; cancel it first")
        made = PlanApplication.objects.create(account=account, plan=plan, applied_by=owner)
        record_event(account, owner, "plan.applied_for", account, detail={"plan": plan.code})
    return made


def open_application(account: Account) -> PlanApplication | None:
    return PlanApplication.objects.filter(account=account, state=State.OPEN).select_related("plan").first()


@transaction.atomic
def cancel_application(application: PlanApplication, owner: User) -> None:
    """Cancel an open application. Raises `Conflict` when it was decided already."""
    closed = _close_application(application, State.CANCELLED)
    record_event(closed.account, owner, "plan.withdrawn", closed.account, detail={"plan": closed.plan_id})


@transaction.atomic
def grant_application(application: PlanApplication) -> None:
    """Give the account the plan; payments are not changed. Raises `Conflict` when it was decided already."""
    closed = _close_application(application, State.GRANTED)
    if closed.account.plan_id == closed.plan_id:
        record_event(closed.account, None, "plan.granted", closed.account, detail={"plan": closed.plan_id})
    else:
        change_plan(closed.account, closed.plan, "applied for")


@transaction.atomic
def refuse_application(application: PlanApplication) -> None:
    """Refuse an application. Raises `Conflict` when it was decided already."""
    closed = _close_application(application, State.REFUSED)
    record_event(closed.account, None, "plan.refused", closed.account, detail={"plan": closed.plan_id})


def _close_application(application: PlanApplication, state: PlanApplication.State) -> PlanApplication:
    rows = PlanApplication.objects.select_for_update(of=("self",)).select_related("account", "plan")
    locked = rows.get(pk=application.pk)
    if locked.state != State.OPEN:
        raise Conflict("this application was decided already")
    locked.state, locked.decided_at = state, timezone.now()
    locked.save(update_fields=["state", "decided_at"])
    about = {"account_id": str(locked.account_id), "state": state.value}
    transaction.on_commit(partial(billing_changed.send_robust, None, **about))
    return locked
