"""Charging of API calls: reserve before the work, settle before the answer is sent, release on failure."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from django.db import DatabaseError, InterfaceError, OperationalError
from psycopg_pool import PoolTimeout

from tenancy.metering import quota
from tenancy.metering.meters import Meter
from tenancy.metering.refunds import Cost, get_refundable_cost
from tenancy.metering.rollup import fold_usage
from tenancy.models import ApiKey
from tenancy.requests.trace import trace_stage

log = logging.getLogger(__name__)

AWAY = (OperationalError, InterfaceError, PoolTimeout)


class Bill:
    """The quota that one call reserves and uses. `used` is the used amount where it is less than reserved."""

    def __init__(self) -> None:
        self._held: quota.QuotaHold | None = None
        self.used: dict[Meter, int] = {}
        # A streamed answer is settled at its end.
        self.is_deferred = False
        self._is_failed = False

    def open(self, key: ApiKey, meter: Meter) -> None:
        """Reserve one call of the meter. Raises `CallQuotaExceeded`."""
        held = quota.open_hold(key)
        with trace_stage("quota") as note:
            quota.reserve_quota(held, {meter: 1})
            note["left"] = "any" if held.left is None else held.left
        self._held = held

    def add(self, amounts: Mapping[Meter, int]) -> None:
        """Reserve more for this call. Raises what `quota.reserve_quota` raises."""
        if self._held is not None:
            with trace_stage("quota"):
                quota.reserve_quota(self._held, amounts)

    def settle(self, about: str = "") -> None:
        held = self._held
        if held is None or not held.is_open:
            return
        with trace_stage("settle"):
            quota.settle_hold(held, about, self.used)

    def return_spare(self) -> None:
        """Return at once what was reserved and not used; else it returns a minute later. Not inside a transaction."""
        held = self._held
        if held is None or held.is_open or not self.used:
            return
        try:
            fold_usage(held.key.account_id)
        except (DatabaseError, PoolTimeout) as error:
            log.warning("spare_not_returned", extra={"fault": type(error).__name__})

    def release(self) -> None:
        """Release what was not settled. The database decides what that is: a settlement may have been rolled back."""
        self._is_failed = True
        if self._held is None:
            return
        try:
            quota.release_hold(self._held)
        except (DatabaseError, *AWAY) as error:
            # What was not settled goes back with what processes held that died.
            log.warning("reservation_left_open", extra={"fault": type(error).__name__})

    @property
    def cost(self) -> Cost | None:
        """The cost that the call's task stores, to be refunded if the task fails permanently."""
        return get_refundable_cost(self._held) if self._held is not None else None

    @property
    def headers(self) -> dict[str, str]:
        held = self._held
        if held is None or held.left is None or held.allowed is None:
            return {}
        returned = held.call.amount if self._is_failed and held.call is not None else 0
        reset = round(quota.get_seconds_until_reset(held.day))
        return {
            "X-Quota-Limit": str(held.allowed),
            "X-Quota-Remaining": str(held.left + returned),
            "X-Quota-Reset": str(reset),
        }

    @property
    def charged(self) -> int:
        """Return what the call itself cost: 0 before it is settled, and when it failed."""
        held = self._held
        if held is None or held.call is None or held.is_open or self._is_failed:
            return 0
        return held.call.amount


class UnchargedBill(Bill):
    """The bill of calls that Engram makes itself: nothing is reserved, settled or refunded."""

    def open(self, key: ApiKey, meter: Meter) -> None:
        return
