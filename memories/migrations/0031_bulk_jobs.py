"""Changes of many memories at once: jobs, and what became of each memory, behind the same wall as everything else."""

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
KEY = """
ALTER TABLE memories_bulkitem ADD CONSTRAINT bulk_item_within_tenant FOREIGN KEY (project_id, job_id)
REFERENCES memories_bulkjob (project_id, id) ON DELETE CASCADE
"""
KINDS = ["refine", "feedback", "attachment", "file", "purge", "skill", "observe", "distill", "learn", "erase"]
ACTIONS = ["delete", "archive", "restore", "freeze", "unfreeze", "tag", "untag"]
STATES = ["open", "completed", "cancelled", "undoing", "undone"]


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


def key():
    return models.UUIDField(
        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
    )


def owner(to):
    return models.ForeignKey(
        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to=to
    )


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0030_tags_of_versions"),
        ("tenancy", "0005_project_settings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            "task",
            "kind",
            models.CharField(choices=[(kind, kind) for kind in [*KINDS, "reextract", "bulk"]], max_length=12),
        ),
        migrations.CreateModel(
            name="BulkJob",
            fields=[
                ("id", key()),
                ("action", models.CharField(choices=[(one, one) for one in ACTIONS], max_length=12)),
                (
                    "state",
                    models.CharField(choices=[(one, one) for one in STATES], default="open", max_length=12),
                ),
                ("filter", models.JSONField(default=dict)),
                ("tag", models.TextField(blank=True)),
                ("cutoff", models.DateTimeField()),
                (
                    "task",
                    models.UUIDField(
                        blank=True, help_text="The task that does or undoes it, the latest.", null=True
                    ),
                ),
                ("total", models.PositiveIntegerField()),
                ("counts", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                ("restorable_until", models.DateTimeField(blank=True, null=True)),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
                ("account", owner("tenancy.account")),
                (
                    "actor",
                    models.ForeignKey(
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
                "constraints": [
                    models.UniqueConstraint(fields=("project", "id"), name="bulk_job_within_project")
                ],
                "indexes": [models.Index(fields=["project", "-created_at", "-id"], name="bulk_job_newest")],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        migrations.CreateModel(
            name="BulkItem",
            fields=[
                ("id", key()),
                ("cube", models.UUIDField()),
                ("memory", models.UUIDField()),
                ("version", models.PositiveIntegerField()),
                ("outcome", models.CharField(blank=True, default="", max_length=12)),
                ("account", owner("tenancy.account")),
                (
                    "job",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="memories.bulkjob",
                    ),
                ),
                ("project", owner("tenancy.project")),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("job", "memory"), name="one_item_per_memory")
                ],
                "indexes": [
                    models.Index(fields=["project"], name="bulk_item_of_project"),
                    models.Index(
                        condition=models.Q(("outcome", "")),
                        fields=["job", "cube", "memory"],
                        name="bulk_item_next",
                    ),
                ],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        migrations.RunSQL(KEY, "ALTER TABLE memories_bulkitem DROP CONSTRAINT bulk_item_within_tenant"),
        wall("memories_bulkjob"),
        wall("memories_bulkitem"),
    ]
