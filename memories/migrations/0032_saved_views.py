"""Views of lists that members saved, behind the same wall as everything else."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""


def owner(to):
    return models.ForeignKey(
        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to=to
    )


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0031_bulk_jobs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.TextField()),
                ("filter", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("account", owner("tenancy.account")),
                (
                    "member",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("project", owner("tenancy.project")),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [models.Index(fields=["project", "created_at"], name="saved_view_of_project")],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        migrations.RunSQL(
            [
                "ALTER TABLE memories_savedview ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE memories_savedview FORCE ROW LEVEL SECURITY",
                f"CREATE POLICY tenant ON memories_savedview USING ({CONDITION}) WITH CHECK ({CONDITION})",
            ],
            [
                "DROP POLICY tenant ON memories_savedview",
                "ALTER TABLE memories_savedview NO FORCE ROW LEVEL SECURITY",
                "ALTER TABLE memories_savedview DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
