"""Deleting a project asks these tables for its rows; without an index each was read whole, everybody's rows and all.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models


def index(model, name):
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON tenancy_{model} (project_id)",
                ],
                f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
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
