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
                    f"CREATE INDEX CONCURRENTLY {name} ON skills_{model} (project_id)",
                    USUAL_LOCK_TIMEOUT,
                ],
                [LONG_LOCK_TIMEOUT, f"DROP INDEX CONCURRENTLY IF EXISTS {name}", USUAL_LOCK_TIMEOUT],
            )
        ],
        [migrations.AddIndex(model, models.Index(fields=["project"], name=name))],
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("skills", "0002_session_task_distilling")]

    operations = [
        index("lesson", "lesson_of_project"),
        index("skillevidence", "skill_evidence_of_project"),
        index("skillfile", "skill_file_of_project"),
        index("skillversion", "skill_version_of_project"),
        index("spaceskill", "space_skill_of_project"),
    ]
