"""The model provider of a project, its key sealed, behind the project's wall."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.db import migrations, models

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""
TABLE = "tenancy_modelprovider"
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
# Nobody's project: the database refuses a provider that names one account and another's project.
KEY = migrations.RunSQL(
    f"ALTER TABLE {TABLE} ADD CONSTRAINT provider_within_tenant FOREIGN KEY (account_id, project_id)"
    " REFERENCES tenancy_project (account_id, id) ON DELETE CASCADE",
    f"ALTER TABLE {TABLE} DROP CONSTRAINT provider_within_tenant",
)


def words(length, **more):
    return models.CharField(max_length=length, **more)


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0012_project_life")]

    operations = [
        migrations.CreateModel(
            name="ModelProvider",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("base_url", words(300)),
                ("model", words(120)),
                (
                    "chat_models",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=words(120), db_default=[], default=list, size=None
                    ),
                ),
                ("vision_model", words(120, blank=True, db_default="", default="")),
                ("sealed_key", models.BinaryField(null=True)),
                ("key_id", words(16, blank=True, db_default="", default="")),
                ("last_four", words(4, blank=True, db_default="", default="")),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                    models.OneToOneField(
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
                "indexes": [models.Index(fields=["account"], name="provider_of_account")],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        KEY,
        WALL,
    ]
