"""Rounds by the clock over many accounts or projects: one that makes trouble does not keep the others from theirs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import DatabaseError
from django.db.models import QuerySet

from tenancy.models import Account, Project

log = logging.getLogger(__name__)

Owner = TypeVar("Owner", Account, Project)


def round_of(name: str, owners: QuerySet[Owner], work: Callable[[Owner], int]) -> int:
    """The sum of what `work` did. In random order, because a round may be cut short: else those behind a large owner
    would never have their turn. What the database or the store of files refuses is logged and left to the next round.
    """
    done = 0
    for owner in owners.order_by("?").iterator():
        try:
            done += work(owner)
        except (DatabaseError, OSError) as trouble:
            whose = type(owner).__name__.lower()
            extra = {"round": name, whose: str(owner.pk), "fault": type(trouble).__name__}
            log.error("round_left_one_out", extra=extra)
    return done
