"""Files in messages, behind the same wall and tied to their tenant by the same kind of keys as the messages."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.db import migrations, models

TASK_KINDS = ["refine", "feedback", "attachment"]
STATES = ["waiting", "completed", "failed"]

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""


def key(columns, parent):
    name = f"attachment_{columns.split(', ')[1].removesuffix('_id')}_within_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE memories_attachment ADD CONSTRAINT {name} FOREIGN KEY ({columns})"
        f" REFERENCES memories_{parent} (project_id, id) ON DELETE CASCADE",
        f"ALTER TABLE memories_attachment DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("memories", "0005_details_and_extractor"), ("tenancy", "0003_row_level_security")]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(choices=[(kind, kind) for kind in TASK_KINDS], max_length=12),
        ),
        migrations.CreateModel(
            name="Attachment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("part", models.PositiveIntegerField(help_text="Index in the message's content.")),
                ("is_image", models.BooleanField(default=False)),
                ("name", models.CharField(blank=True, max_length=255)),
                ("url", models.TextField(blank=True)),
                ("storage_key", models.CharField(blank=True, db_index=True, max_length=160)),
                ("kind", models.CharField(blank=True, max_length=8)),
                ("media_type", models.CharField(blank=True, max_length=100)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("pages", models.PositiveIntegerField(default=0)),
                ("facts", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[(state, state) for state in STATES], default="waiting", max_length=10
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("error_code", models.CharField(blank=True, max_length=10)),
                ("error_text", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attachments",
                        to="memories.memcube",
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attachments",
                        to="memories.message",
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
                    models.UniqueConstraint(fields=("message", "part"), name="one_attachment_per_part"),
                    models.UniqueConstraint(fields=("project", "id"), name="attachment_within_project"),
                ],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        key("project_id, message_id", "message"),
        key("project_id, cube_id", "memcube"),
        migrations.RunSQL(
            [
                "ALTER TABLE memories_attachment ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE memories_attachment FORCE ROW LEVEL SECURITY",
                f"CREATE POLICY tenant ON memories_attachment USING ({CONDITION}) WITH CHECK ({CONDITION})",
            ],
            [
                "DROP POLICY tenant ON memories_attachment",
                "ALTER TABLE memories_attachment NO FORCE ROW LEVEL SECURITY",
                "ALTER TABLE memories_attachment DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
