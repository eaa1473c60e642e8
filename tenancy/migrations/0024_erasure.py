"""That somebody was erased is known to every process, by a keyed digest, until no request that began before is left."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.db import migrations, models

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""
TABLE = "tenancy_erasure"
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
    dependencies = [("tenancy", "0023_stored_bytes")]

    operations = [
        migrations.CreateModel(
            name="Erasure",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
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
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [models.Index(fields=["project", "digest"], name="erasure_of_subject")],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        WALL,
    ]
