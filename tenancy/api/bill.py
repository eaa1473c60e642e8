"""Charging of API calls: reserve before the work, settle before the answer is sent, release on failure."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from itertools import chain, repeat

from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections
from psycopg_pool import PoolTimeout

from tenancy.metering import quota
from tenancy.metering.meters import Meter
from tenancy.metering.refunds import Cost, cost_of
from tenancy.metering.rollup import fold_usage
from tenancy.models import ApiKey
from tenancy.requests.trace import trace_stage
from tenancy.runtime.background_writer import BackgroundWriter
from tenancy.runtime.shutdown import seconds_since_stop

log = logging.getLogger(__name__)

AWAY = (OperationalError, InterfaceError, PoolTimeout)
# Between attempts to give back what was paid, in seconds; the last goes on until the database is back.
PAUSES = (1, 2, 5, 10)


class Bill:
    """What one call costs. `used` is the amount really used, where it is less than what was reserved."""

    def __init__(self) -> None:
        self._held: quota.Held | None = None
        self.used: dict[Meter, int] = {}
        # A streamed answer is settled at its end.
        self.is_deferred = False
        self._is_failed = False

    def open(self, key: ApiKey, meter: Meter, *, may_owe: bool = False) -> None:
        """Raises `CallQuotaExceeded`. `may_owe`: what a refusal later on would waste costs nobody anything."""
        held = quota.open_hold(key)
        with trace_stage("quota") as note:
            if may_owe and quota.try_defer_payment(held, meter):
                note["left"] = "plenty"
            else:
                quota.reserve_quota(held, {meter: 1})
                note["left"] = "any" if held.left is None else held.left
        self._held = held

    def add(self, amounts: Mapping[Meter, int]) -> None:
        """More that this call may use. Raises what `quota.reserve_quota` raises."""
        if self._held is not None:
            with trace_stage("quota"):
                quota.reserve_quota(self._held, amounts)

    def pay_early(self, about: str = "") -> None:
        """What is owed, while the call waits for something else anyway: given back if the call fails after all. Raises
        what `quota.pay_deferred` raises."""
        held = self._held
        if held is not None and held.owed:
            with trace_stage("settle"):
                quota.pay_deferred(held, about)

    def settle(self, about: str = "") -> None:
        held = self._held
        if held is None or not held.is_open:
            return
        if not held.is_due:  # paid early
            held.is_open = False
            return
        with trace_stage("settle"):
            quota.settle_hold(held, about, self.used)

    def return_spare(self) -> None:
        """What was held and not used, at once: outside of transactions. Else a minute later, with everything else."""
        held = self._held
        if held is None or held.is_open or not self.used:
            return
        try:
            fold_usage(held.key.account_id)
        except (DatabaseError, PoolTimeout) as trouble:
            log.warning("spare_not_returned", extra={"fault": type(trouble).__name__})

    def give_back(self) -> None:
        """Whatever was not settled, whatever this process believes: a settling may have been rolled back."""
        self._is_failed = True
        if self._held is None:
            return
        try:
            quota.release_hold(self._held)
        except (DatabaseError, *AWAY) as trouble:
            if self._held.paid:
                returns.put(self._held)
            # What was not settled goes back with what processes held that died.
            log.warning("reservation_left_open", extra={"fault": type(trouble).__name__})

    @property
    def cost(self) -> Cost | None:
        """For the task that does the call's work: it is refunded if the work fails for good."""
        return cost_of(self._held) if self._held is not None else None

    @property
    def headers(self) -> dict[str, str]:
        held = self._held
        if held is None or held.left is None or held.allowed is None:
            return {}
        reset = round(quota.seconds_until_reset(held.day))
        return {
            "X-Quota-Limit": str(held.allowed),
            "X-Quota-Remaining": str(held.left),
            "X-Quota-Reset": str(reset),
        }

    @property
    def charged(self) -> int:
        """What the call itself cost; nothing while it is not settled, and when it failed."""
        held = self._held
        if held is None or held.call is None or held.is_open or self._is_failed:
            return 0
        return held.call.amount


def _return(unpaid: list[quota.Held]) -> None:
    """What was paid for calls that failed, often because the database was away: until it is back, or this process is
    asked to stop."""
    pauses = chain(PAUSES, repeat(PAUSES[-1]))
    while left := [held for held in unpaid if not _is_returned(held)]:
        if seconds_since_stop():
            log.error("payments_not_returned", extra={"count": len(left)})
            return
        unpaid = left
        time.sleep(next(pauses))


def _is_returned(held: quota.Held) -> bool:
    """Whether nothing of it is left to be done; what the database refuses for good is logged."""
    try:
        quota.release_hold(held)
    except AWAY:
        close_old_connections()
        return False
    except DatabaseError as trouble:
        log.error("payment_not_returned", extra={"fault": type(trouble).__name__})
    return True


# People paid for these: they are small, and none is dropped when the queue is full.
returns: BackgroundWriter[quota.Held] = BackgroundWriter("returns", _return, keeps_all=True)
