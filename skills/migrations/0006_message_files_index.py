"""Indexes by which messages are found: those that were stored before they were counted, and those that have files.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models

# They wait for dumps and other long transactions, during which nobody waits for them.
LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"


def index(name, columns, where, state):
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    LONG_LOCK_TIMEOUT,
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON skills_sessionmessage ({columns}) WHERE {where}",
                    USUAL_LOCK_TIMEOUT,
                ],
                [LONG_LOCK_TIMEOUT, f"DROP INDEX CONCURRENTLY IF EXISTS {name}", USUAL_LOCK_TIMEOUT],
            )
        ],
        [migrations.AddIndex("sessionmessage", state)],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("skills", "0005_message_files")]

    operations = [
        index(
            "session_message_uncounted",
            "project_id, id",
            "tokens IS NULL",
            models.Index(
                fields=["project", "id"], condition=models.Q(tokens=None), name="session_message_uncounted"
            ),
        ),
        index(
            "session_message_stored",
            "storage_key",
            "NOT storage_key = ''",
            models.Index(
                fields=["storage_key"],
                condition=~models.Q(storage_key=""),
                name="session_message_stored",
            ),
        ),
    ]
