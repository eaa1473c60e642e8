"""Refund the cost of requests whose background work failed for good; the cost is stored on the task."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from tenancy.ids import uuid7
from tenancy.metering.quota import MAX_ABOUT, QuotaHold
from tenancy.models import Project
from tenancy.models.usage import Reservation

# What a request cost, as stored on the task that does its work: key, meter, day and amount.
Cost = dict[str, Any]


def get_refundable_cost(held: QuotaHold) -> Cost | None:
    """Return what is given back if the work that a request asks for fails for good; None where nothing was reserved."""
    line = held.call
    if line is None:
        return None
    return {
        "key": str(held.key.pk),
        "meter": line.meter.value,
        "day": held.day.isoformat(),
        "amount": line.amount,
    }


def refund_cost(project: Project | UUID, account: UUID, cost: Cost, about: str = "") -> None:
    """Give back the cost of a request, in the caller's transaction and the project's scope."""
    Reservation.objects.create(
        id=uuid7(),
        account_id=account,
        project_id=project.pk if isinstance(project, Project) else project,
        api_key_id=cost["key"],
        meter=cost["meter"],
        day=cost["day"],
        amount=0,
        used=-int(cost["amount"]),
        subject=about[:MAX_ABOUT],
    )
