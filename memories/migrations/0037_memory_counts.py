"""The console counts memories by their kind from an index alone, without the rows and their vectors.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models

LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"
NAME, BEFORE = "memory_counts", "memory_of_kind"
FIELDS = ["project", "kind", "-created_at", "-id"]
COLUMNS = "project_id, kind, created_at DESC, id DESC"
INCLUDED = ["account", "status", "valid_until", "purge_at"]


def build(name, columns):
    return [
        f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
        f"CREATE INDEX CONCURRENTLY {name} ON memories_memory {columns}",
    ]


def drop(name):
    return [f"DROP INDEX CONCURRENTLY IF EXISTS {name}"]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0036_logins_leave")]

    operations = [
        migrations.RunSQL(LONG_LOCK_TIMEOUT, migrations.RunSQL.noop),
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    build(NAME, f"({COLUMNS}) INCLUDE (account_id, status, valid_until, purge_at)"),
                    drop(NAME),
                ),
                migrations.RunSQL(drop(BEFORE), build(BEFORE, f"({COLUMNS})")),
            ],
            [
                migrations.RemoveIndex("memory", BEFORE),
                migrations.AddIndex("memory", models.Index(fields=FIELDS, include=INCLUDED, name=NAME)),
            ],
        ),
        migrations.RunSQL(USUAL_LOCK_TIMEOUT, migrations.RunSQL.noop),
    ]
