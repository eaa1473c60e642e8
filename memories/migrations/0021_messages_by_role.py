"""Deleting an end user asks who said what in groups; few messages name a role, and only these are in the index.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models
from django.db.models.fields.json import KT

NAME = "message_by_role"
# Whoever reads for long, as a dump does, is waited for; meanwhile everybody else goes on.
LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0020_fetch_time_of_requests")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    [
                        LONG_LOCK_TIMEOUT,
                        f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
                        f"CREATE INDEX CONCURRENTLY {NAME} ON memories_message"
                        " (project_id, (extra ->> 'role_id')) WHERE extra ? 'role_id'",
                        USUAL_LOCK_TIMEOUT,
                    ],
                    [LONG_LOCK_TIMEOUT, f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}", USUAL_LOCK_TIMEOUT],
                )
            ],
            [
                migrations.AddIndex(
                    "message",
                    models.Index(
                        models.F("project"),
                        KT("extra__role_id"),
                        name=NAME,
                        condition=models.Q(extra__has_key="role_id"),
                    ),
                )
            ],
        )
    ]
