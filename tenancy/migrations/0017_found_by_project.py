"""Deleting a project asks these tables for its rows; without an index each was read whole, everybody's rows and all.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models

# Whoever reads for long, as a dump does, is waited for; meanwhile everybody else goes on.
LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"


def index(model, name):
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    LONG_LOCK_TIMEOUT,
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON tenancy_{model} (project_id)",
                    USUAL_LOCK_TIMEOUT,
                ],
                [LONG_LOCK_TIMEOUT, f"DROP INDEX CONCURRENTLY IF EXISTS {name}", USUAL_LOCK_TIMEOUT],
            )
        ],
        [migrations.AddIndex(model, models.Index(fields=["project"], name=name))],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("tenancy", "0016_paying_at_the_end")]

    operations = [
        index("usageday", "usage_day_of_project"),
    ]
