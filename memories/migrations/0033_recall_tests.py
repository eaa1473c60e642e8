"""Searches that members keep right, and pairs of memories that they keep both, scoped as everything else."""

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


def foreign_key(table, owner, column, parent):
    name = f"{table}_{column}_within_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE memories_{table} ADD CONSTRAINT {name} FOREIGN KEY ({owner}_id, {column}_id)"
        f" REFERENCES memories_{parent} ({owner}_id, id) ON DELETE CASCADE",
        f"ALTER TABLE memories_{table} DROP CONSTRAINT {name}",
    )


def row_level_security(table):
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
        ("memories", "0032_saved_views"),
        ("tenancy", "0027_log_share"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(
                choices=[
                    ("refine", "refine"),
                    ("feedback", "feedback"),
                    ("attachment", "attachment"),
                    ("file", "file"),
                    ("purge", "purge"),
                    ("skill", "skill"),
                    ("observe", "observe"),
                    ("distill", "distill"),
                    ("learn", "learn"),
                    ("erase", "erase"),
                    ("reextract", "reextract"),
                    ("bulk", "bulk"),
                    ("recall_tests", "recall_tests"),
                ],
                max_length=12,
            ),
        ),
        migrations.CreateModel(
            name="RecallTest",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("question", models.TextField()),
                ("body", models.JSONField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("results", models.JSONField(default=list)),
                ("passed", models.BooleanField(null=True)),
                ("ran_at", models.DateTimeField(null=True)),
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
                    "cube",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
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
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="RecallMark",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("is_expected", models.BooleanField()),
                ("rank", models.PositiveIntegerField(null=True)),
                ("previous_rank", models.PositiveIntegerField(null=True)),
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
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memories.memory",
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
                    "test",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="marks",
                        to="memories.recalltest",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="KeptPair",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("texts", models.BinaryField()),
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
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
                (
                    "other",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memories.memory",
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
                "indexes": [models.Index(fields=["project"], name="kept_pair_of_project")],
                "constraints": [
                    models.UniqueConstraint(fields=("memory", "other"), name="one_decision_per_pair")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name="recalltest",
            index=models.Index(fields=["project", "-created_at"], name="recall_test_newest"),
        ),
        migrations.AddIndex(
            model_name="recalltest",
            index=models.Index(fields=["cube"], name="recall_test_of_cube"),
        ),
        migrations.AddConstraint(
            model_name="recalltest",
            constraint=models.UniqueConstraint(fields=("project", "id"), name="recall_test_within_project"),
        ),
        migrations.AddIndex(
            model_name="recallmark",
            index=models.Index(fields=["project"], name="recall_mark_of_project"),
        ),
        migrations.AddConstraint(
            model_name="recallmark",
            constraint=models.UniqueConstraint(fields=("test", "memory"), name="one_mark_per_memory"),
        ),
        foreign_key("recalltest", "project", "cube", "memcube"),
        foreign_key("recallmark", "project", "test", "recalltest"),
        foreign_key("recallmark", "account", "memory", "memory"),
        foreign_key("keptpair", "account", "memory", "memory"),
        foreign_key("keptpair", "account", "other", "memory"),
        row_level_security("memories_recalltest"),
        row_level_security("memories_recallmark"),
        row_level_security("memories_keptpair"),
    ]
