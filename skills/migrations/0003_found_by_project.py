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
                    f"CREATE INDEX CONCURRENTLY {name} ON skills_{model} (project_id)",
                ],
                f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
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
