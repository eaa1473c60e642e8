"""Periodic work over many accounts or projects: an error in one does not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TypeVar

from django.db import DatabaseError
from django.db.models import Model, QuerySet

from tenancy.models import Account, Project

log = logging.getLogger(__name__)

Owner = TypeVar("Owner", Account, Project)
Row = TypeVar("Row", bound=Model)


BATCH = 200


def iterate_in_batches(rows: QuerySet[Row]) -> Iterator[Row]:
    """Yield all rows in their order, read in batches; rows deleted meanwhile are left out.

    Outside of a transaction a cursor of the server's would have to outlive its statement, which a pooler of
    transactions does not allow: the keys are read at once.
    """
    keys = list(rows.values_list("pk", flat=True))
    unordered = rows.order_by()
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        found = unordered.in_bulk(batch)
        yield from (found[key] for key in batch if key in found)


def run_for_each_owner(name: str, owners: QuerySet[Owner], work: Callable[[Owner], int]) -> int:
    """Run `work` for each owner and return the sum of its results.

    In random order, because a run may be interrupted: otherwise owners behind a large one would never be reached.
    Database and file storage errors are logged and left to the next run.
    """
    done = 0
    for owner in iterate_in_batches(owners.order_by("?")):
        try:
            done += work(owner)
        except (DatabaseError, OSError) as trouble:
            whose = type(owner).__name__.lower()
            extra = {"round": name, whose: str(owner.pk), "fault": type(trouble).__name__}
            log.error("round_left_one_out", extra=extra)
    return done
