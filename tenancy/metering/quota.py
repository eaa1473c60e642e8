"""What an account may use in a month: reserved before a call works, settled when it has succeeded.

PostgreSQL is the truth. A place is taken by one conditional UPDATE in a transaction of its own that lasts as long as
the statement, so that calls of one account wait for each other for microseconds. A call that fails gives its place
back; one whose process died is given back by `tenancy.metering.rollup` once it is older than any call may become.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from tenancy.errors import (
    CallQuotaExceeded,
    CatalogueError,
    ChatRequestQuotaExceeded,
    ChatResponseQuotaExceeded,
)
from tenancy.ids import uuid7
from tenancy.metering.meters import Meter, get_monthly_allowance
from tenancy.models import ApiKey

log = logging.getLogger(__name__)

_RESERVE = (
    "SELECT refused, taken, granted FROM tenancy_reserve(%s::uuid[], %s, %s, %s, %s, %s::text[], %s::bigint[],"
    " %s::bigint[], %s)"
)
_SETTLE = "SELECT tenancy_settle(%s::uuid[], %s, %s::bigint[], %s, %s)"
_GIVE_BACK = "SELECT tenancy_give_back(%s::uuid[], %s, %s)"
_COUNT = "SELECT tenancy_count(%s::uuid[], %s, %s, %s, %s, %s::text[], %s::bigint[], %s, %s)"
MAX_ABOUT = 120


@dataclass(frozen=True, slots=True)
class MeterAmount:
    """An amount of one meter."""

    id: UUID
    meter: Meter
    amount: int


@dataclass(slots=True)
class QuotaHold:
    """Amounts that a call may use until it is settled or released; `left` is what others of its account may still use.

    `taken` lines hold a place in a quota. `free` ones are of meters that the plan does not limit: they are counted when
    the call has succeeded. `call` is the line of the call itself, whichever it is of.
    """

    key: ApiKey
    day: date
    taken: list[MeterAmount] = field(default_factory=list)
    free: list[MeterAmount] = field(default_factory=list)
    allowed: int | None = None
    left: int | None = None
    call: MeterAmount | None = None
    is_open: bool = True


def open_hold(key: ApiKey, at: datetime | None = None) -> QuotaHold:
    """An empty reservation, to be filled by `reserve_quota`."""
    return QuotaHold(key, (at or timezone.now()).astimezone(UTC).date())


def reserve_quota(held: QuotaHold, amounts: Mapping[Meter, int]) -> None:
    """Reserve all of these amounts for the call, or none.

    Raises `CallQuotaExceeded`, `ChatRequestQuotaExceeded` or `ChatResponseQuotaExceeded` when less is left.
    """
    plan = held.key.project.account.plan
    lines = [MeterAmount(uuid7(), meter, amount) for meter, amount in amounts.items()]
    limited = [line for line in lines if get_monthly_allowance(plan, line.meter) is not None]
    if limited:
        _take_amounts(held, limited, [get_monthly_allowance(plan, line.meter) or 0 for line in limited])
    held.free += [line for line in lines if line not in limited]
    held.call = held.call or lines[0]


def _take_amounts(held: QuotaHold, lines: Sequence[MeterAmount], allowances: list[int]) -> None:
    key = held.key
    refused, taken, granted = _run_statement(
        _RESERVE,
        _format_array(line.id for line in lines),
        key.account_id,
        key.project_id,
        key.pk,
        held.day,
        _format_array(line.meter for line in lines),
        _format_array(line.amount for line in lines),
        _format_array(allowances),
    )
    if refused:
        allowed = (get_monthly_allowance(key.project.account.plan, Meter(refused)) or 0) + granted
        raise _build_quota_error(Meter(refused), taken, allowed, held.day)
    if held.call is None:
        held.allowed = allowances[0] + granted
        held.left = max(0, held.allowed - taken)
    held.taken += lines


def settle_hold(held: QuotaHold, about: str = "", used: Mapping[Meter, int] | None = None) -> None:
    """Charge what a successful call used, in the caller's transaction if there is one.

    Raises like `reserve_quota` when the call lasted so long that its place was given back, and is taken now.
    """
    real = used or {}
    if held.taken:
        _settle_taken(
            held, about, {line.id: min(line.amount, real.get(line.meter, line.amount)) for line in held.taken}
        )
    if held.free:
        _count_use(held, about, [real.get(line.meter, line.amount) for line in held.free])
    held.is_open = False


def _settle_taken(held: QuotaHold, about: str, used: Mapping[UUID, int]) -> None:
    account = held.key.account_id
    (done,) = _run_statement(
        _SETTLE, _format_array(used), account, _format_array(used.values()), about[:MAX_ABOUT]
    )
    lost = [line for line in held.taken if line.id not in set(done)]
    if lost:
        log.warning("reservation_outlived", extra={"left": len(lost)})
        again = QuotaHold(held.key, held.day)
        reserve_quota(again, {line.meter: used[line.id] for line in lost})
        settle_hold(again, about)


def _count_use(held: QuotaHold, about: str, used: list[int]) -> None:
    key, lines = held.key, held.free
    ids, meters = _format_array(line.id for line in lines), _format_array(line.meter for line in lines)
    place = (key.account_id, key.project_id, key.pk, held.day)
    _run_statement(_COUNT, ids, *place, meters, _format_array(used), about[:MAX_ABOUT])


def release_hold(held: QuotaHold) -> None:
    """Give back the reservation of a failed call."""
    if held.taken:
        _run_statement(_GIVE_BACK, _format_array(line.id for line in held.taken), held.key.account_id)
    held.is_open = False


def _format_array(values: Iterable[object]) -> str:
    """A PostgreSQL array literal of ids, numbers or meter names; faster than the driver's adaptation."""
    return "{" + ",".join(map(str, values)) + "}"


def _run_statement(statement: str, *values: Any) -> tuple[Any, ...]:
    """Run the statement in a transaction of its own, or as a part of the caller's, which then commits durably as
    always."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, connection.in_atomic_block])
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row or ()


def _build_quota_error(meter: Meter, taken: int, allowed: int, day: date) -> CatalogueError:
    message = f"{taken} of {allowed} taken this month"
    if meter == Meter.CHAT_INPUT:
        return ChatRequestQuotaExceeded(message)
    if meter == Meter.CHAT_OUTPUT:
        return ChatResponseQuotaExceeded(message)
    return CallQuotaExceeded(f"{meter}, {message}", retry_after=get_seconds_until_reset(day))


def get_first_of_month(day: date) -> date:
    return day.replace(day=1)


def get_next_month(day: date) -> date:
    """The day on which every quota is reset."""
    return get_first_of_month(get_first_of_month(day) + timedelta(days=31))


def get_seconds_until_reset(day: date, now: datetime | None = None) -> float:
    reset = datetime.combine(get_next_month(day), datetime.min.time(), tzinfo=UTC)
    return max(1.0, (reset - (now or timezone.now())).total_seconds())
