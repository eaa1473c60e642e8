"""A claim asks which accounts have due tasks, and for the oldest of one of them.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models
from django.db.models import Q

LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"
FILES = "kind IN ('attachment', 'file')"
GENERAL = "kind NOT IN ('attachment', 'file')"
IS_FILE = Q(kind__in=["attachment", "file"])
IS_OPEN = Q(state__in=["queued", "waiting"], is_held_back=False)


def index(name, condition, where):
    where = f"state IN ('queued', 'waiting') AND NOT is_held_back AND {where}"
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON memories_task (account_id, due_at) WHERE {where}",
                ],
                f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
            )
        ],
        [
            migrations.AddIndex(
                "task", models.Index(fields=["account", "due_at"], name=name, condition=condition)
            )
        ],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0022_held_back_tasks")]

    operations = [
        migrations.RunSQL(LONG_LOCK_TIMEOUT, migrations.RunSQL.noop),
        index("task_next", IS_OPEN & ~IS_FILE, GENERAL),
        index(
            "task_next_file",
            Q(state__in=["queued", "waiting"], is_held_back=False, kind__in=["attachment", "file"]),
            FILES,
        ),
        migrations.RunSQL(USUAL_LOCK_TIMEOUT, migrations.RunSQL.noop),
    ]
