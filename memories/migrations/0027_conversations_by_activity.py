"""The console lists conversations by when they last grew, those of one end user too, and finds those of an agent or app.

Built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations, models
from django.db.models import Q

LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"


def index(model, name, columns, where, fields, condition=None):
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                [
                    f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
                    f"CREATE INDEX CONCURRENTLY {name} ON memories_{model} ({columns}){where}",
                ],
                f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
            )
        ],
        [migrations.AddIndex(model, models.Index(fields=fields, name=name, condition=condition))],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0026_frozen_and_expiring")]

    operations = [
        migrations.RunSQL(LONG_LOCK_TIMEOUT, migrations.RunSQL.noop),
        index(
            "conversation",
            "conversation_newest",
            "project_id, updated_at DESC, id DESC",
            "",
            ["project", "-updated_at", "-id"],
        ),
        index(
            "conversation", "conversation_of_cube", "cube_id, updated_at DESC", "", ["cube", "-updated_at"]
        ),
        index(
            "intake",
            "intake_of_agent",
            "project_id, agent_id",
            " WHERE agent_id <> ''",
            ["project", "agent_id"],
            ~Q(agent_id=""),
        ),
        index(
            "intake",
            "intake_of_app",
            "project_id, app_id",
            " WHERE app_id <> ''",
            ["project", "app_id"],
            ~Q(app_id=""),
        ),
        migrations.RunSQL(USUAL_LOCK_TIMEOUT, migrations.RunSQL.noop),
    ]
