"""Knowledge bases, their files, fragments and corrections, behind the walls of their account."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

TABLES = ["knowledgebase", "knowledgefile", "fragment", "correction"]

# child, its column, parent, what happens to the child with the parent
KEYS = [
    ("knowledgebase", "cube_id", "memories_memcube", "CASCADE"),
    ("knowledgefile", "base_id", "knowledgebase_knowledgebase", "CASCADE"),
    ("knowledgefile", "replaces_id", "knowledgebase_knowledgefile", "SET NULL (replaces_id)"),
    ("knowledgefile", "same_as_id", "knowledgebase_knowledgefile", "SET NULL (same_as_id)"),
    ("fragment", "file_id", "knowledgebase_knowledgefile", "CASCADE"),
    ("fragment", "memory_id", "memories_memory", "SET NULL (memory_id)"),
    ("correction", "base_id", "knowledgebase_knowledgebase", "CASCADE"),
    ("correction", "before_id", "memories_memory", "SET NULL (before_id)"),
    ("correction", "after_id", "memories_memory", "SET NULL (after_id)"),
]

CONDITION = "account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid"


def key(child, column, parent, on_delete):
    name = f"{child}_{column.removesuffix('_id')}_within_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE knowledgebase_{child} ADD CONSTRAINT {name} FOREIGN KEY (account_id, {column})"
        f" REFERENCES {parent} (account_id, id) ON DELETE {on_delete}",
        f"ALTER TABLE knowledgebase_{child} DROP CONSTRAINT {name}",
    )


def wall(table):
    name = f"knowledgebase_{table}"
    return migrations.RunSQL(
        [
            f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {name} USING ({CONDITION}) WITH CHECK ({CONDITION})",
        ],
        [
            f"DROP POLICY tenant ON {name}",
            f"ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY",
            f"ALTER TABLE {name} DISABLE ROW LEVEL SECURITY",
        ],
    )


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("memories", "0009_grants"),
        ("tenancy", "0005_project_settings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="KnowledgeBase",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("public_id", models.CharField(editable=False, max_length=60, unique=True)),
                ("name", models.CharField(max_length=100)),
                ("description", models.CharField(blank=True, max_length=1000)),
                ("bytes_used", models.PositiveBigIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
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
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "cube",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="knowledge_base",
                        to="memories.memcube",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [models.Index(fields=["account", "-created_at"], name="knowledge_base_newest")],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "id"), name="knowledge_base_within_account")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("feedback", "feedback"), ("message", "message"), ("console", "console")],
                        max_length=10,
                    ),
                ),
                (
                    "version",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="Where the memory itself was reworded: the number of the version before.",
                    ),
                ),
                ("feedback", models.UUIDField(blank=True, null=True)),
                ("message", models.UUIDField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("reverted_at", models.DateTimeField(blank=True, null=True)),
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
                    "after",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
                (
                    "before",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="memories.memory",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reverted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "through",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "base",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="knowledgebase.knowledgebase",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [models.Index(fields=["base", "-created_at"], name="correction_newest")],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="KnowledgeFile",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "type",
                    models.CharField(
                        choices=[("document", "document"), ("skill", "skill")],
                        default="document",
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=255)),
                ("url", models.TextField(blank=True)),
                ("storage_key", models.CharField(blank=True, db_index=True, max_length=160)),
                ("kind", models.CharField(blank=True, max_length=8)),
                ("media_type", models.CharField(blank=True, max_length=100)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("pages", models.PositiveIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("checking", "checking"),
                            ("parsing", "parsing"),
                            ("splitting", "splitting"),
                            ("generating", "generating"),
                            ("indexing", "indexing"),
                            ("completed", "completed"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("fragments_total", models.PositiveIntegerField(default=0)),
                ("fragments_done", models.PositiveIntegerField(default=0)),
                ("error_code", models.CharField(blank=True, max_length=10)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("cure", models.CharField(blank=True, max_length=300)),
                (
                    "uploaded_with",
                    models.CharField(blank=True, help_text="The hint of the API key.", max_length=40),
                ),
                (
                    "runs",
                    models.PositiveIntegerField(
                        default=0, help_text="How often it was asked to be processed."
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
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
                    "base",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="knowledgebase.knowledgebase",
                    ),
                ),
                (
                    "replaces",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        db_constraint=False,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="replaced_by",
                        to="knowledgebase.knowledgefile",
                    ),
                ),
                (
                    "same_as",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        db_constraint=False,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="repeats",
                        to="knowledgebase.knowledgefile",
                    ),
                ),
                (
                    "through",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        blank=True,
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
                    models.Index(fields=["base", "-created_at"], name="knowledge_file_newest"),
                    models.Index(fields=["base", "sha256"], name="knowledge_file_by_hash"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "id"), name="knowledge_file_within_account")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Fragment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("ordinal", models.PositiveIntegerField()),
                ("page", models.PositiveIntegerField(default=0)),
                ("heading", models.CharField(blank=True, max_length=300)),
                ("text", models.TextField()),
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
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="fragments",
                        to="memories.memory",
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fragments",
                        to="knowledgebase.knowledgefile",
                    ),
                ),
            ],
            options={
                "ordering": ["ordinal"],
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("file", "ordinal"), name="one_fragment_per_place")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        *[key(*row) for row in KEYS],
        *[wall(table) for table in TABLES],
    ]
