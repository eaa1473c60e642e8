"""What is thrown away lies where it was and is hidden by the wall, until it is purged or restored; messages know when
retention took their words.

Run again after a break-off, it makes what is still missing. What lies in the trash when this is taken back is archived.
"""

from django.db import migrations, models
from django.db.models import Q

# Whoever reads for long, as a dump does, is waited for; meanwhile everybody else goes on.
LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"
STATUSES = ["generated", "activated", "merged", "archived", "expired", "frozen", "deleted"]
STATUS = [(status, status) for status in STATUSES]
TO_PURGE = "(cube_id, purge_at) WHERE purge_at IS NOT NULL"
TO_CLEAR = "(project_id, created_at) WHERE cleared_at IS NULL"
CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""
# Whoever deletes a whole project or account in its name must see every row of it.
SEEN = """
    AND (purge_at IS NULL
         OR current_setting('engram.trash', true) = 'on'
         OR current_setting('engram.scope', true) = 'account')
"""
# One statement, and so one transaction: however it ends, the wall stands.
ARCHIVE = """
DO $$ BEGIN
    ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;
    UPDATE memories_memory SET status = 'archived' WHERE status = 'deleted';
    ALTER TABLE memories_memory FORCE ROW LEVEL SECURITY;
END $$
"""


def moment(model, name):
    table = f"memories_{model}"
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {name} timestamptz NULL",
                f"ALTER TABLE {table} DROP COLUMN IF EXISTS {name}",
            )
        ],
        [migrations.AddField(model, name, models.DateTimeField(blank=True, null=True))],
    )


def index(model, name, fields, condition, columns):
    """A try that broke off leaves an invalid index, which the next one clears away."""
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    LONG_LOCK_TIMEOUT,
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON memories_{model} {columns}",
                    USUAL_LOCK_TIMEOUT,
                ],
                [LONG_LOCK_TIMEOUT, f"DROP INDEX CONCURRENTLY IF EXISTS {name}", USUAL_LOCK_TIMEOUT],
            )
        ],
        [migrations.AddIndex(model, models.Index(fields=fields, name=name, condition=condition))],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0012_task_cost")]

    operations = [
        moment("memory", "purge_at"),
        moment("message", "cleared_at"),
        migrations.AlterField(
            "memory", "status", models.CharField(choices=STATUS, default="activated", max_length=10)
        ),
        migrations.AlterField(
            "memoryversion",
            "status",
            models.CharField(blank=True, choices=STATUS, db_default="", default="", max_length=10),
        ),
        index("memory", "memory_to_purge", ["cube", "purge_at"], Q(purge_at__isnull=False), TO_PURGE),
        index("message", "message_to_clear", ["project", "created_at"], Q(cleared_at=None), TO_CLEAR),
        migrations.RunSQL(
            f"ALTER POLICY tenant ON memories_memory USING ({CONDITION} {SEEN})",
            [
                f"ALTER POLICY tenant ON memories_memory USING ({CONDITION})",
                ARCHIVE,
            ],
        ),
    ]
