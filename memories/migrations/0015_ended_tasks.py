"""Operators ask what ended lately of all accounts; without these every task that was ever done would be read.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models
from django.db.models import Q


def index(name, condition, where):
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON memories_task (finished_at) WHERE {where}",
                ],
                f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
            )
        ],
        [migrations.AddIndex("task", models.Index(fields=["finished_at"], name=name, condition=condition))],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0014_work_of_accounts")]

    operations = [
        index("task_ended_badly", Q(state__in=["failed", "dead"]), "state IN ('failed', 'dead')"),
        index("task_completed", Q(state="completed"), "state = 'completed'"),
    ]
