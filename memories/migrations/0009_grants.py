"""Which projects may read the cubes that their account shares."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.db import migrations, models

KINDS = ["refine", "feedback", "attachment", "file", "purge"]

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0008_profiles"),
        ("tenancy", "0005_project_settings"),
    ]

    operations = [
        migrations.CreateModel(
            name="CubeGrant",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(choices=[(kind, kind) for kind in KINDS], max_length=12),
        ),
        migrations.AddConstraint(
            model_name="memcube",
            constraint=models.UniqueConstraint(
                condition=models.Q(("project", None)),
                fields=("account", "owner_kind", "owner_id"),
                name="one_shared_cube_per_owner",
            ),
        ),
        migrations.AddField(
            model_name="cubegrant",
            name="account",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.account",
            ),
        ),
        migrations.AddField(
            model_name="cubegrant",
            name="cube",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="grants",
                to="memories.memcube",
            ),
        ),
        migrations.AddField(
            model_name="cubegrant",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.project",
            ),
        ),
        migrations.AddIndex(
            model_name="cubegrant",
            index=models.Index(fields=["cube"], name="grant_of_cube"),
        ),
        migrations.AddConstraint(
            model_name="cubegrant",
            constraint=models.UniqueConstraint(fields=("project", "cube"), name="one_grant_per_project"),
        ),
        migrations.RunSQL(
            "ALTER TABLE memories_cubegrant ADD CONSTRAINT cubegrant_cube_within_tenant FOREIGN KEY"
            " (account_id, cube_id) REFERENCES memories_memcube (account_id, id) ON DELETE CASCADE",
            "ALTER TABLE memories_cubegrant DROP CONSTRAINT cubegrant_cube_within_tenant",
        ),
        migrations.RunSQL(
            "ALTER TABLE memories_cubegrant ADD CONSTRAINT cubegrant_project_within_tenant FOREIGN KEY"
            " (account_id, project_id) REFERENCES tenancy_project (account_id, id) ON DELETE CASCADE",
            "ALTER TABLE memories_cubegrant DROP CONSTRAINT cubegrant_project_within_tenant",
        ),
        migrations.RunSQL(
            [
                "ALTER TABLE memories_cubegrant ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE memories_cubegrant FORCE ROW LEVEL SECURITY",
                f"CREATE POLICY tenant ON memories_cubegrant USING ({CONDITION}) WITH CHECK ({CONDITION})",
            ],
            [
                "DROP POLICY tenant ON memories_cubegrant",
                "ALTER TABLE memories_cubegrant NO FORCE ROW LEVEL SECURITY",
                "ALTER TABLE memories_cubegrant DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
