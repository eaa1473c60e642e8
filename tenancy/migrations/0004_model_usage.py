"""What asking models costs: a table behind the same walls as the others.

After a commit a setting reads '' instead of NULL, hence NULLIF: '' is no uuid.
"""

import django.db.models.deletion
import django.db.models.manager
import uuid_utils.compat
from django.db import migrations, models

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""
WALL = [
    "ALTER TABLE tenancy_modelusage ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE tenancy_modelusage FORCE ROW LEVEL SECURITY",
    f"CREATE POLICY tenant ON tenancy_modelusage USING ({CONDITION}) WITH CHECK ({CONDITION})",
]
LOWERED = [
    "DROP POLICY tenant ON tenancy_modelusage",
    "ALTER TABLE tenancy_modelusage NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE tenancy_modelusage DISABLE ROW LEVEL SECURITY",
]
KEY = (
    "ALTER TABLE tenancy_modelusage ADD CONSTRAINT modelusage_project_within_tenant"
    " FOREIGN KEY (account_id, project_id) REFERENCES tenancy_project (account_id, id) ON DELETE CASCADE"
)


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0003_row_level_security"),
    ]

    operations = [
        migrations.CreateModel(
            name="ModelUsage",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField()),
                ("purpose", models.CharField(max_length=20)),
                ("model", models.CharField(max_length=120)),
                ("calls", models.PositiveIntegerField(default=0)),
                ("estimated_calls", models.PositiveIntegerField(default=0)),
                ("prompt_tokens", models.PositiveBigIntegerField(default=0)),
                ("completion_tokens", models.PositiveBigIntegerField(default=0)),
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
                "indexes": [models.Index(fields=["account", "day"], name="model_usage_of_account")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "day", "purpose", "model"), name="one_model_usage_per_day"
                    )
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.UniqueConstraint(fields=("account", "id"), name="project_within_account"),
        ),
        migrations.RunSQL(WALL, LOWERED),
        migrations.RunSQL(
            KEY, "ALTER TABLE tenancy_modelusage DROP CONSTRAINT modelusage_project_within_tenant"
        ),
    ]
