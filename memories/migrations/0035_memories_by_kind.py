"""The console lists and counts memories by their kind.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models

LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"


def index(model, name, columns, fields):
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON memories_{model} ({columns})",
                ],
                f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
            )
        ],
        [migrations.AddIndex(model, models.Index(fields=fields, name=name))],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0034_memories_by_confidence")]

    operations = [
        migrations.RunSQL(LONG_LOCK_TIMEOUT, migrations.RunSQL.noop),
        index(
            "memory",
            "memory_of_kind",
            "project_id, kind, created_at DESC, id DESC",
            ["project", "kind", "-created_at", "-id"],
        ),
        migrations.RunSQL(USUAL_LOCK_TIMEOUT, migrations.RunSQL.noop),
    ]
