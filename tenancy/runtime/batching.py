"""Work in batches: over journals, and over accounts or projects, where an error in one does not stop the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TypeVar
from uuid import UUID

from django.db import DatabaseError, connection
from django.db.models import Model, QuerySet

from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, Project

log = logging.getLogger(__name__)

Owner = TypeVar("Owner", Account, Project)
Row = TypeVar("Row", bound=Model)

BATCH = 200
# So many rows of a journal are added up in one transaction.
JOURNAL_BATCH = 5_000


def iterate_in_batches(rows: QuerySet[Row]) -> Iterator[Row]:
    """Yield all rows in their order, read in batches; rows deleted meanwhile are left out.

    Outside of a transaction a cursor of the server's would have to outlive its statement, which a pooler of
    transactions does not allow: the keys are read at once.
    """
    keys = list(rows.values_list("pk", flat=True))
    unordered = rows.order_by()
    for start in range(0, len(keys), BATCH):
        batch = keys[start : start + BATCH]
        rows_by_key = unordered.in_bulk(batch)
        yield from (rows_by_key[key] for key in batch if key in rows_by_key)


def run_for_each_owner(name: str, owners: QuerySet[Owner], work: Callable[[Owner], int]) -> int:
    """Run `work` for each owner and return the sum of its results.

    In random order, because a run may be interrupted: otherwise owners behind a large one would never be reached.
    Database and file storage errors are logged and left to the next run.
    """
    done = 0
    for owner in iterate_in_batches(owners.order_by("?")):
        try:
            done += work(owner)
        except (DatabaseError, OSError) as error:
            whose = type(owner).__name__.lower()
            extra = {"round": name, whose: str(owner.pk), "fault": type(error).__name__}
            log.error("round_left_one_out", extra=extra)
    return done


def fold_journal(account: UUID, statement: str) -> int:
    """Add an account's journal to its sums, in batches. Returns the number of journal rows.

    The statement deletes at most `%(batch)s` rows of `%(account)s`, adds them to the sums, and selects their number.
    """
    folded = 0
    while True:
        with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
            cursor.execute(statement, {"account": account, "batch": JOURNAL_BATCH})
            (rows,) = cursor.fetchone() or (0,)
        folded += rows
        if rows < JOURNAL_BATCH:
            return folded
