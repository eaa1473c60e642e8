"""Templates of profiles and the profiles bound to subjects, behind the same wall and keys as everything else."""

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


def key(column, parent):
    name = f"profile_{column.removesuffix('_id')}_within_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE memories_profile ADD CONSTRAINT {name} FOREIGN KEY (project_id, {column})"
        f" REFERENCES memories_{parent} (project_id, id) ON DELETE CASCADE",
        f"ALTER TABLE memories_profile DROP CONSTRAINT {name}",
    )


def wall(table):
    return migrations.RunSQL(
        [
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {table} USING ({CONDITION}) WITH CHECK ({CONDITION})",
        ],
        [
            f"DROP POLICY tenant ON {table}",
            f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        ],
    )


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0007_lifecycle"),
        ("tenancy", "0005_project_settings"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProfileTemplate",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("leaves", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                    models.UniqueConstraint(fields=("project", "id"), name="profile_template_within_project")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Profile",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("filled", models.JSONField(default=dict)),
                ("edits", models.JSONField(default=dict)),
                (
                    "removed",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), default=list, size=None
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                    "cube",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="profiles",
                        to="memories.memcube",
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
                (
                    "template",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="profiles",
                        to="memories.profiletemplate",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("cube", "template"), name="one_profile_per_template")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        key("cube_id", "memcube"),
        key("template_id", "profiletemplate"),
        wall("memories_profiletemplate"),
        wall("memories_profile"),
    ]
