"""Public links to single requests of the log."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""
TABLE = "tenancy_logshare"
ROW_LEVEL_SECURITY = migrations.RunSQL(
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
    dependencies = [("tenancy", "0026_api_key_by_public_id")]

    operations = [
        migrations.CreateModel(
            name="LogShare",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("request_id", models.CharField(max_length=40)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
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
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
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
                "constraints": [
                    models.UniqueConstraint(fields=("project", "request_id"), name="one_share_per_request")
                ],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        ROW_LEVEL_SECURITY,
    ]
