"""Charts and figures of requests are read from an index alone, without the rows and their bodies.

Built beside a serving installation, part by part, because an index of a table in parts cannot be built so as a whole. A try
that broke off leaves an index that is not valid yet, which the next one completes. A part that is made meanwhile gets its
own index with the table's.
"""

from django.db import migrations, models

LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"
# Everybody waits behind who waits to drop an index.
SHORT_LOCK_TIMEOUT = "SET lock_timeout = '60s'"
NAME, BEFORE = "request_log_figures", "request_log_newest"
COLUMNS = "(project_id, created_at DESC) INCLUDE (account_id, id, endpoint, code, http_status, milliseconds)"
# Parts whose index does not belong to the table's yet.
MISSING = f"""
SELECT part.relname FROM pg_inherits JOIN pg_class part ON part.oid = pg_inherits.inhrelid
 WHERE pg_inherits.inhparent = 'tenancy_requestlog'::regclass
   AND NOT EXISTS (SELECT FROM pg_index JOIN pg_inherits above ON above.inhrelid = pg_index.indexrelid
                    WHERE pg_index.indrelid = part.oid AND above.inhparent = '{NAME}'::regclass)
 ORDER BY part.relname
"""  # noqa: S608  # a name of ours


def build(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(f"CREATE INDEX IF NOT EXISTS {NAME} ON ONLY tenancy_requestlog {COLUMNS}")
        cursor.execute(MISSING)
        for (part,) in cursor.fetchall():
            index = f"{part.removeprefix('tenancy_')}_figures"
            cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")
            cursor.execute(f"CREATE INDEX CONCURRENTLY {index} ON {part} {COLUMNS}")
            cursor.execute(f"ALTER INDEX {NAME} ATTACH PARTITION {index}")
        cursor.execute(SHORT_LOCK_TIMEOUT)
        cursor.execute(f"DROP INDEX IF EXISTS {BEFORE}")


def take_back(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            f"CREATE INDEX IF NOT EXISTS {BEFORE} ON tenancy_requestlog (project_id, created_at DESC)"
        )
        cursor.execute(f"DROP INDEX IF EXISTS {NAME}")


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("tenancy", "0028_logins_leave")]

    operations = [
        migrations.RunSQL(LONG_LOCK_TIMEOUT, migrations.RunSQL.noop),
        migrations.SeparateDatabaseAndState(
            [migrations.RunPython(build, take_back)],
            [
                migrations.RemoveIndex("requestlog", BEFORE),
                migrations.AddIndex(
                    "requestlog",
                    models.Index(
                        fields=["project", "-created_at"],
                        include=["account", "id", "endpoint", "code", "http_status", "milliseconds"],
                        name=NAME,
                    ),
                ),
            ],
        ),
        migrations.RunSQL(USUAL_LOCK_TIMEOUT, migrations.RunSQL.noop),
    ]
