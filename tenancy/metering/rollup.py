"""Roll the journal of calls up into sums by day, project, key, meter and end user.

One statement deletes a journal row and adds it to the sums, so each call is counted once, even with concurrent or
interrupted runs. Pages add what is not rolled up yet.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, timedelta
from uuid import UUID

from django.db import DatabaseError, close_old_connections, connection
from django.db.models import QuerySet
from django.utils import timezone

from tenancy.ids import build_uuid7_at
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Account, ApiKey, RequestLog
from tenancy.runtime.batching import fold_journal
from tenancy.storage.counts import fold_stored_bytes

log = logging.getLogger(__name__)

# Longer than any call can last, streams and slow uploads included.
HELD_AT_MOST = timedelta(minutes=15)
# For rounds every minute: a key's last use is stored a minute late. And for those every five minutes, which make up for
# rounds that were left out, and find what processes held that died.
RECENTLY, LATELY = timedelta(minutes=3), timedelta(hours=1)

# Rows are changed in one order everywhere, so that two who count at once do not wait for each other.
FOLD = """
WITH gone AS (
    DELETE FROM tenancy_reservation WHERE id IN (
        SELECT id FROM tenancy_reservation WHERE account_id = %(account)s AND used IS NOT NULL
         LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
    RETURNING project_id, api_key_id, meter, day, amount, used, subject
), days AS (
    INSERT INTO tenancy_usageday AS kept (id, account_id, project_id, api_key_id, meter, day, used)
    SELECT gen_random_uuid(), %(account)s, project.id, gone.api_key_id, gone.meter, gone.day, sum(gone.used)
      FROM gone LEFT JOIN tenancy_project project ON project.id = gone.project_id
     GROUP BY project.id, gone.api_key_id, gone.meter, gone.day
     ORDER BY gone.day, project.id, gone.api_key_id, gone.meter
    ON CONFLICT (account_id, day, project_id, api_key_id, meter) DO UPDATE SET used = kept.used + excluded.used
), subjects AS (
    INSERT INTO tenancy_subjectusage AS kept (id, account_id, project_id, subject, meter, day, used)
    SELECT gen_random_uuid(), %(account)s, project.id, gone.subject, gone.meter, gone.day, sum(gone.used)
      FROM gone JOIN tenancy_project project ON project.id = gone.project_id
     WHERE gone.subject <> ''
     GROUP BY project.id, gone.subject, gone.meter, gone.day
     ORDER BY project.id, gone.day, gone.meter, gone.subject
    ON CONFLICT (project_id, day, meter, subject) DO UPDATE SET used = kept.used + excluded.used
), spare AS (
    SELECT meter, date_trunc('month', day)::date AS month, sum(amount - used) AS amount
      FROM gone GROUP BY 1, 2 HAVING sum(amount - used) <> 0
), returned AS (
    INSERT INTO tenancy_quotamonth AS kept (id, account_id, meter, month, taken)
    SELECT gen_random_uuid(), %(account)s, spare.meter, spare.month, -spare.amount FROM spare
     ORDER BY spare.month, spare.meter
    ON CONFLICT (account_id, meter, month) DO UPDATE SET taken = kept.taken + excluded.taken
)
SELECT count(*) FROM gone
"""
# Ids begin with the moment they were made in, so that those of long ago are found by their key.
EXPIRE = """
SELECT tenancy_give_back(array_agg(id), %(account)s, true) FROM tenancy_reservation
 WHERE id < %(until)s AND account_id = %(account)s AND used IS NULL
HAVING count(*) > 0
"""


def fold_usage(account: UUID) -> int:
    """Roll settled calls up into the account's days. Returns the number of journal rows."""
    return fold_journal(account, FOLD)


def expire_reservations(account: UUID, age: timedelta = HELD_AT_MOST) -> None:
    """Release reservations of calls whose process died."""
    with tenant_scope(Scope(account, None)), connection.cursor() as cursor:
        cursor.execute(EXPIRE, {"account": account, "until": build_uuid7_at(timezone.now() - age)})


def tidy_usage(accounts: Iterable[UUID]) -> None:
    """One account's trouble, such as a project that is being deleted, is no other's; the next round makes up for it."""
    for account in accounts:
        try:
            expire_reservations(account)
            fold_usage(account)
            fold_stored_bytes(account)
        except DatabaseError as error:
            log.warning("usage_not_folded", extra={"fault": type(error).__name__})
            close_old_connections()


def list_accounts_active_since(time: timedelta) -> QuerySet[ApiKey, UUID]:
    """Accounts whose keys were used since then; the sums of others do not change."""
    keys = ApiKey.objects.filter(last_used_at__gt=timezone.now() - time).order_by("account_id")
    return keys.values_list("account_id", flat=True).distinct()


def list_all_accounts() -> QuerySet[Account, UUID]:
    """All accounts in random order, because a run may be interrupted."""
    return Account.objects.order_by("?").values_list("pk", flat=True)


REFUSED = """
INSERT INTO tenancy_usageday AS kept (id, account_id, project_id, api_key_id, meter, day, refused)
VALUES (gen_random_uuid(), %s, %s, %s, %s, %s, %s)
ON CONFLICT (account_id, day, project_id, api_key_id, meter) DO UPDATE SET refused = kept.refused + excluded.refused
"""


def count_refused(rows: Iterable[RequestLog]) -> None:
    """Number of failed calls, which cost nothing, by the project's log rows; inside its scope."""
    places = Counter(
        (row.account_id, row.project_id, row.api_key_id, row.meter, row.created_at.astimezone(UTC).date())
        for row in rows
        if row.code != 0 and row.api_key_id is not None
    )
    with connection.cursor() as cursor:
        for place, refused in sorted(places.items(), key=lambda pair: [str(part) for part in pair[0]]):
            cursor.execute(REFUSED, [*place, refused])
