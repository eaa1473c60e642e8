"""Operators ask what ended lately of all accounts; without these every task that was ever done would be read.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models
from django.db.models import Q

# Whoever reads for long, as a dump does, is waited for; meanwhile everybody else goes on.
LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"


def index(name, condition, where):
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    LONG_LOCK_TIMEOUT,
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON memories_task (finished_at) WHERE {where}",
                    USUAL_LOCK_TIMEOUT,
                ],
                [LONG_LOCK_TIMEOUT, f"DROP INDEX CONCURRENTLY IF EXISTS {name}", USUAL_LOCK_TIMEOUT],
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
