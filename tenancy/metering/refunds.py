"""Refund the cost of requests whose background work failed for good; the cost is stored on the task."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from tenancy.ids import uuid7
from tenancy.metering.quota import MAX_ABOUT, Held
from tenancy.models import Project
from tenancy.models.usage import Reservation

_payer: ContextVar[list[Held] | None] = ContextVar("payer", default=None)


@contextmanager
def attach_cost_to_tasks(held: Held) -> Iterator[None]:
    """Attach the cost of the request to the first task written inside this context."""
    token = _payer.set([held])
    try:
        yield
    finally:
        _payer.reset(token)


def take_request_cost() -> dict[str, Any] | None:
    """The cost to store on a task that is being written; None after the first task of a request."""
    payers = _payer.get()
    if not payers:
        return None
    held = payers.pop()
    line = held.call
    if line is None:
        return None
    return {
        "key": str(held.key.pk),
        "meter": line.meter.value,
        "day": held.day.isoformat(),
        "amount": line.amount,
    }


def refund_cost(project: Project | UUID, account: UUID, cost: dict[str, Any], about: str = "") -> None:
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
