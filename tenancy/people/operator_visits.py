"""Read-only visits of operators to an account's console: logged, limited in time, with a reason.

The account's audit log has an entry for the beginning, for each page when first opened, and for the end.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import DatabaseError, transaction
from django.db.models import CharField, F, Func, Value
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.audit.request_context import OPERATOR, act_as
from tenancy.models import Account, User
from tenancy.models.operator import OperatorVisit

log = logging.getLogger(__name__)

LASTS = timedelta(minutes=30)
LONGEST_ADDRESS = 200
STOPPED, TIME_IS_OVER, SIGNED_OUT, BEGAN_ANOTHER = "stopped", "time is over", "signed out", "began another"


@transaction.atomic
def begin_visit(account: Account, operator: User, reason: str) -> OperatorVisit:
    until = timezone.now() + LASTS
    visit = OperatorVisit.objects.create(account=account, operator=operator, reason=reason, until=until)
    _record_action(visit, "operator.visit_began", reason=reason, until=until)
    return visit


@transaction.atomic
def end_visit(visit: OperatorVisit, because: str) -> None:
    """End the visit; does nothing for one that has ended."""
    ended_at = min(timezone.now(), visit.until)
    if OperatorVisit.objects.filter(pk=visit.pk, ended_at=None).update(ended_at=ended_at):
        visit.refresh_from_db()
        seconds = int((ended_at - visit.began_at).total_seconds())
        _record_action(
            visit, "operator.visit_ended", because=because, seconds=seconds, addresses=len(visit.seen)
        )


@transaction.atomic
def note_address(visit: OperatorVisit, path: str) -> None:
    """Log the page when it is first opened; without the query string, which may hold personal data."""
    path = path[:LONGEST_ADDRESS]
    path_array = Value([path], output_field=ArrayField(CharField(max_length=LONGEST_ADDRESS)))
    unseen = OperatorVisit.objects.filter(pk=visit.pk, ended_at=None).exclude(seen__contains=[path])
    if unseen.update(seen=Func(F("seen"), path_array, function="array_cat")):
        _record_action(visit, "operator.page_seen", path=path)


def open_visit(key: UUID, operator: User) -> OperatorVisit | None:
    """The operator's visit that was not ended; its time may be over."""
    visits = OperatorVisit.objects.select_related("account__plan")
    return visits.filter(pk=key, operator=operator, ended_at=None).first()


def end_overdue_visits() -> int:
    """End visits whose time is over. Returns their number."""
    visits = OperatorVisit.objects.select_related("account")
    return sum(_end_one(visit) for visit in visits.filter(ended_at=None, until__lte=timezone.now()))


def _end_one(visit: OperatorVisit) -> bool:
    """One that cannot be ended keeps no other one open: the next round comes to it again."""
    try:
        end_visit(visit, TIME_IS_OVER)
    except DatabaseError:
        log.exception("visit_not_ended", extra={"visit": str(visit.pk)})
        return False
    return True


def _record_action(visit: OperatorVisit, action: str, **detail: object) -> None:
    with act_as(OPERATOR, str(visit.operator_id or "")):
        record_event(visit.account, None, action, visit, detail={"visit": str(visit.pk), **detail})
