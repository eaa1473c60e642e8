"""Count how often memories are recalled, in the background.

A table of its own: counting in the memory's row would rewrite its vector with every search.
"""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from django.db import connection

from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.runtime.background_writer import BackgroundWriter, log_database_errors

# Memories that were deleted meanwhile drop out of the join. Those that are being deleted just now, as a raw memory is
# soon after it was found, are let be: gone when the foreign key looks for them, they would take all counts along.
# Nobody is waited for, because a deletion may come to wait for this. Where there is a count, the memory's row is not
# written to.
COUNT = """
WITH seen (id, times) AS (SELECT * FROM unnest(%s::uuid[], %s::int[])),
counted AS MATERIALIZED (
    SELECT recall.memory_id AS id FROM memories_recall recall JOIN seen ON seen.id = recall.memory_id
     ORDER BY 1 FOR UPDATE OF recall SKIP LOCKED),
uncounted AS MATERIALIZED (
    SELECT memory.id FROM memories_memory memory JOIN seen ON seen.id = memory.id
     WHERE NOT EXISTS (SELECT FROM memories_recall recall WHERE recall.memory_id = memory.id)
     ORDER BY 1 FOR KEY SHARE OF memory SKIP LOCKED)
INSERT INTO memories_recall (memory_id, account_id, project_id, count, last_at)
SELECT memory.id, memory.account_id, memory.project_id, seen.times, now()
  FROM seen JOIN memories_memory memory ON memory.id = seen.id
 WHERE memory.id IN (SELECT id FROM counted UNION ALL SELECT id FROM uncounted)
 ORDER BY memory.id
ON CONFLICT (memory_id) DO UPDATE SET count = memories_recall.count + excluded.count, last_at = excluded.last_at
"""


def _store_recalls(recalls: list[tuple[Scope, list[UUID]]]) -> None:
    by_scope: dict[Scope, Counter[UUID]] = {}
    for scope, keys in recalls:
        by_scope.setdefault(scope, Counter()).update(keys)
    for scope, counts in by_scope.items():
        with log_database_errors("recalls", len(counts)), tenant_scope(scope), connection.cursor() as cursor:
            cursor.execute(COUNT, [list(counts), list(counts.values())])


recalls = BackgroundWriter("recalls", _store_recalls, owner_of=lambda item: item[0].account)
