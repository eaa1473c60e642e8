"""Projects are archived and come back, or are deleted step by step, of which a receipt stays with the account."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

CONDITION = "account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid"
TABLE = "tenancy_projectdeletion"
WALL = migrations.RunSQL(
    [
        f"ALTER TABLE {TABLE} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {TABLE} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY tenant ON {TABLE} USING ({CONDITION}) WITH CHECK ({CONDITION})",
    ],
    [
        f"DROP POLICY tenant ON {TABLE}",
        f"ALTER TABLE {TABLE} NO FORCE ROW LEVEL SECURITY",
        f"ALTER TABLE {TABLE} DISABLE ROW LEVEL SECURITY",
    ],
)


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0011_key_rules")]

    operations = [
        migrations.AddField("project", "archived_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("project", "deleting_at", models.DateTimeField(blank=True, null=True)),
        migrations.RemoveConstraint("project", "project_name_in_account"),
        migrations.AddConstraint(
            "project",
            models.UniqueConstraint(
                fields=("account", "name"),
                condition=models.Q(("deleting_at", None)),
                name="project_name_in_account",
            ),
        ),
        migrations.CreateModel(
            name="ProjectDeletion",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("expected", models.JSONField(db_default={}, default=dict)),
                ("removed", models.JSONField(db_default={}, default=dict)),
                ("kept", models.JSONField(db_default=[], default=list)),
                ("recallable", models.PositiveBigIntegerField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.account",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [
                    models.Index(fields=["account", "-created_at", "-id"], name="deletion_newest"),
                    models.Index(
                        condition=models.Q(("finished_at", None)),
                        fields=["account"],
                        name="deletion_unfinished",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("project",), name="one_deletion_per_project")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        WALL,
    ]
