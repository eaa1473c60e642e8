"""Exact number of stored bytes of an account: sums plus the journal of changes since.

One statement deletes a journal row and adds it to the sums, so each change is counted once, even with concurrent or
interrupted runs.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from django.apps import apps
from django.db import DatabaseError, close_old_connections, connection

from tenancy.isolation.scoping import Scope, get_active_scope, tenant_scope
from tenancy.models import Project
from tenancy.runtime.batching import fold_journal
from tenancy.storage.counted_tables import PART_OF, STORED_TABLES, StoragePart, StoredTable

log = logging.getLogger(__name__)

# Of one round by the clock; the accounts come in random order, so that each is counted some day.
RECOUNT_SECONDS = 60.0
# Rows are changed in one order everywhere, so that two who fold at once do not wait for each other.
FOLD = """
WITH gone AS (
    DELETE FROM tenancy_storedchange WHERE id IN (
        SELECT id FROM tenancy_storedchange WHERE account_id = %(account)s
         LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
    RETURNING "table", bytes
), sums AS (
    INSERT INTO tenancy_storedbytes AS kept (id, account_id, "table", bytes)
    SELECT gen_random_uuid(), %(account)s, "table", sum(bytes) FROM gone GROUP BY "table" ORDER BY "table"
    ON CONFLICT (account_id, "table") DO UPDATE SET bytes = kept.bytes + excluded.bytes
)
SELECT count(*) FROM gone
"""
BY_TABLE = """
SELECT "table", sum(bytes)::bigint FROM (
    SELECT "table", bytes FROM tenancy_storedbytes WHERE account_id = %(account)s
    UNION ALL SELECT "table", bytes FROM tenancy_storedchange WHERE account_id = %(account)s) AS counted
 GROUP BY "table"
"""
# The rows themselves, the sums and the journal are those of one moment, for it is one statement; what it finds is added
# to the sum and not put in its place, because others may fold meanwhile.
RECOUNT = """
WITH really AS (
    SELECT coalesce(sum({size}), 0)::bigint AS bytes FROM {table}
     WHERE account_id = %(account)s{of_projects}
), counted AS (
    SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM (
        SELECT bytes FROM tenancy_storedbytes WHERE account_id = %(account)s AND "table" = %(table)s
        UNION ALL SELECT bytes FROM tenancy_storedchange
         WHERE account_id = %(account)s AND "table" = %(table)s) AS parts
), drift AS (
    SELECT really.bytes - counted.bytes AS bytes FROM really, counted
), mended AS (
    INSERT INTO tenancy_storedbytes AS kept (id, account_id, "table", bytes)
    SELECT gen_random_uuid(), %(account)s, %(table)s, drift.bytes FROM drift WHERE drift.bytes <> 0
    ON CONFLICT (account_id, "table") DO UPDATE SET bytes = kept.bytes + excluded.bytes
)
SELECT bytes FROM drift
"""
# A request's limit of time is too short for all rows of a large account.
LONGER = "SET LOCAL statement_timeout = '100s'"
# Two who count at once would mend the same twice.
ALONE = "SELECT pg_try_advisory_xact_lock(hashtextextended('stored:' || %s, 0))"


def count_bytes_by_part(account: UUID) -> dict[StoragePart, int]:
    """Stored bytes by part; in any scope of the account."""
    sizes: dict[StoragePart, int] = defaultdict(int)
    with tenant_scope(get_active_scope() or Scope(account, None)), connection.cursor() as cursor:
        cursor.execute(BY_TABLE, {"account": account})
        for table, size in cursor.fetchall():
            if table in PART_OF:
                sizes[PART_OF[table]] += size
    return {part: max(0, sizes[part]) for part in StoragePart}


def count_stored_bytes(account: UUID) -> int:
    return sum(count_bytes_by_part(account).values())


def fold_stored_bytes(account: UUID) -> int:
    """Add the journal to the account's sums. Returns the number of rows."""
    return fold_journal(account, FOLD)


def recount_account(account: UUID, tables: Iterable[StoredTable] = STORED_TABLES) -> int | None:
    """Count every table again and correct the sums, without blocking writers.

    Returns by how many bytes the sums were wrong; None when somebody else is counting this account.
    """
    wrong, projects = 0, list(Project.objects.filter(account=account).values_list("pk", flat=True))
    for table in tables:
        with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
            cursor.execute(ALONE, [str(account)])
            (is_alone,) = cursor.fetchone() or (False,)
            if not is_alone:
                return None
            cursor.execute(LONGER)
            statement = RECOUNT.format(
                table=table.name, size=table.size, of_projects=_write_owner_condition(table.name)
            )
            cursor.execute(statement, {"account": account, "projects": projects, "table": table.name})
            (drift,) = cursor.fetchone() or (0,)
        if drift:
            log.warning("stored_bytes_mended", extra={"table": table.name, "count": drift})
            wrong += abs(drift)
    return wrong


def recount_accounts(accounts: Iterable[UUID], seconds: float = RECOUNT_SECONDS) -> None:
    """Recount as many accounts as fit into the time; one account's error does not stop the others."""
    until = time.monotonic() + seconds
    for account in accounts:
        if time.monotonic() > until:
            return
        try:
            recount_account(account)
        except DatabaseError as error:
            log.warning("stored_bytes_not_counted", extra={"fault": type(error).__name__})
            close_old_connections()


def _write_owner_condition(table: str) -> str:
    """The SQL condition that finds an account's rows by its projects; "" for tables without projects."""
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    field = next((field for field in model._meta.fields if field.name == "project"), None)
    if field is None:
        return ""
    own = "project_id = ANY(%(projects)s::uuid[])"
    return f" AND ({own} OR project_id IS NULL)" if field.null else f" AND {own}"
