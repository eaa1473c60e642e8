"""Skills, and the learning spaces that they grow in, behind the walls of their account and project."""

import django.db.models.constraints
import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import pgvector.django.vector
import uuid_utils.compat
from django.db import migrations, models

ACCOUNT, PROJECT = "account_id", "project_id"
SKILL, PERSON = "skills_skill", "skills_spaceuser"
CUBE, MEMORY, CONVERSATION = "memories_memcube", "memories_memory", "memories_conversation"
SPACE, SESSION, TASK = "skills_learningspace", "skills_session", "skills_sessiontask"

# child, the tenant's column, its column, parent, what happens to the child with the parent
KEYS = [
    ("skill", ACCOUNT, "cube_id", CUBE, "CASCADE"),
    ("skill", ACCOUNT, "person_id", PERSON, "CASCADE"),
    ("skill", ACCOUNT, "memory_id", MEMORY, "SET NULL (memory_id)"),
    ("skillfile", ACCOUNT, "skill_id", SKILL, "CASCADE"),
    ("skillversion", ACCOUNT, "skill_id", SKILL, "CASCADE"),
    ("episode", PROJECT, "cube_id", CUBE, "CASCADE"),
    ("episode", PROJECT, "conversation_id", CONVERSATION, "CASCADE"),
    ("episode", ACCOUNT, "skill_id", SKILL, "SET NULL (skill_id)"),
    ("skillevidence", ACCOUNT, "skill_id", SKILL, "CASCADE"),
    ("skillevidence", PROJECT, "episode_id", "skills_episode", "CASCADE"),
    ("skillevidence", ACCOUNT, "memory_id", MEMORY, "CASCADE"),
    ("session", PROJECT, "person_id", PERSON, "CASCADE"),
    ("sessiontask", PROJECT, "session_id", SESSION, "CASCADE"),
    ("sessionmessage", PROJECT, "session_id", SESSION, "CASCADE"),
    ("sessionmessage", PROJECT, "task_id", TASK, "SET NULL (task_id)"),
    ("learningspace", PROJECT, "person_id", PERSON, "CASCADE"),
    ("spaceskill", PROJECT, "space_id", SPACE, "CASCADE"),
    ("spaceskill", ACCOUNT, "skill_id", SKILL, "CASCADE"),
    ("learningrecord", PROJECT, "space_id", SPACE, "CASCADE"),
    ("learningrecord", PROJECT, "session_id", SESSION, "CASCADE"),
    ("lesson", PROJECT, "space_id", SPACE, "CASCADE"),
    ("lesson", PROJECT, "session_id", SESSION, "CASCADE"),
    ("lesson", PROJECT, "task_id", TASK, "SET NULL (task_id)"),
]
TABLES = [
    "skill",
    "skillfile",
    "skillversion",
    "episode",
    "skillevidence",
    "spaceuser",
    "session",
    "sessiontask",
    "sessionmessage",
    "learningspace",
    "spaceskill",
    "learningrecord",
    "lesson",
]

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""


def key(child, tenant, column, parent, on_delete):
    name = f"{child}_{column.removesuffix('_id')}_within_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE skills_{child} ADD CONSTRAINT {name} FOREIGN KEY ({tenant}, {column})"
        f" REFERENCES {parent} ({tenant}, id) ON DELETE {on_delete}",
        f"ALTER TABLE skills_{child} DROP CONSTRAINT {name}",
    )


def wall(table):
    name = f"skills_{table}"
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
        ("memories", "0010_kinds_of_skill_tasks"),
        ("tenancy", "0005_project_settings"),
    ]

    operations = [
        migrations.CreateModel(
            name="LearningSpace",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("meta", models.JSONField(blank=True, null=True)),
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
                "indexes": [models.Index(fields=["project", "created_at", "id"], name="space_in_order")],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "id"), name="space_within_project")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("disable_task_tracking", models.BooleanField(default=False)),
                ("configs", models.JSONField(blank=True, null=True)),
                ("message_count", models.PositiveIntegerField(default=0)),
                ("idle_at", models.DateTimeField(blank=True, null=True)),
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
                "indexes": [models.Index(fields=["project", "created_at", "id"], name="session_in_order")],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "id"), name="session_within_project")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SessionTask",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("order", models.PositiveIntegerField()),
                ("is_planning", models.BooleanField(default=False)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("running", "running"),
                            ("success", "success"),
                            ("failed", "failed"),
                        ],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("data", models.JSONField(default=dict)),
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
                (
                    "session",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tasks",
                        to="skills.session",
                    ),
                ),
            ],
            options={
                "ordering": ["order"],
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(
                        deferrable=django.db.models.constraints.Deferrable["DEFERRED"],
                        fields=("session", "order"),
                        name="one_task_per_order",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_planning", True)),
                        fields=("session",),
                        name="one_planning_task_per_session",
                    ),
                    models.UniqueConstraint(fields=("project", "id"), name="session_task_within_project"),
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SessionMessage",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("role", models.CharField(max_length=10)),
                ("parts", models.JSONField(default=list)),
                ("meta", models.JSONField(default=dict)),
                ("kept", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("running", "running"),
                            ("success", "success"),
                            ("failed", "failed"),
                            ("disable_tracking", "disable_tracking"),
                            ("limit_exceed", "limit_exceed"),
                        ],
                        default="pending",
                        max_length=20,
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
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="skills.session",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="messages",
                        to="skills.sessiontask",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["pending", "running"])),
                        fields=["session", "position"],
                        name="session_message_unread",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("session", "position"), name="session_message_order"),
                    models.UniqueConstraint(fields=("project", "id"), name="session_message_within_project"),
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Lesson",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("success", "success"),
                            ("failure", "failure"),
                            ("facts", "facts"),
                            ("preferences", "preferences"),
                        ],
                        max_length=12,
                    ),
                ),
                ("content", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("writing", "writing"),
                            ("written", "written"),
                            ("failed", "failed"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "said_on",
                    models.DateField(blank=True, help_text="The day that its entries carry.", null=True),
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
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lessons",
                        to="skills.learningspace",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lessons",
                        to="skills.session",
                    ),
                ),
                (
                    "task",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="lessons",
                        to="skills.sessiontask",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [models.Index(fields=["space", "state", "created_at"], name="lesson_waiting")],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Skill",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("generated", "generated"),
                            ("uploaded", "uploaded"),
                            ("default", "default"),
                            ("learned", "learned"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("active", "active"), ("archived", "archived")],
                        default="active",
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("title", models.CharField(max_length=200)),
                ("description", models.CharField(max_length=2000)),
                ("value", models.JSONField(default=dict)),
                ("meta", models.JSONField(blank=True, null=True)),
                ("language", models.CharField(default="en", max_length=8)),
                ("confidence", models.FloatField(default=1.0)),
                ("version", models.PositiveIntegerField(default=1)),
                ("source_file", models.UUIDField(blank=True, null=True)),
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
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="skills",
                        to="memories.memcube",
                    ),
                ),
                (
                    "memory",
                    models.OneToOneField(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="skill",
                        to="memories.memory",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [
                    models.Index(fields=["project", "-created_at"], name="skill_newest"),
                    models.Index(fields=["cube", "state"], name="skill_of_cube"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("account", "id"), name="skill_within_account"),
                    models.UniqueConstraint(
                        condition=models.Q(("source_file", None), _negated=True),
                        fields=("source_file",),
                        name="one_skill_per_file",
                    ),
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Episode",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("first", models.PositiveIntegerField(help_text="Position of its first message.")),
                ("last", models.PositiveIntegerField(help_text="Position of its last message.")),
                ("domain", models.CharField(blank=True, max_length=100)),
                ("findings", models.JSONField(default=dict)),
                ("language", models.CharField(default="en", max_length=8)),
                ("weight", models.FloatField(default=0.0)),
                ("embedding", pgvector.django.vector.VectorField(blank=True, null=True)),
                ("embedding_model", models.CharField(blank=True, max_length=80)),
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
                    "conversation",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="episodes",
                        to="memories.conversation",
                    ),
                ),
                (
                    "cube",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="episodes",
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
                    "skill",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="episodes",
                        to="skills.skill",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("conversation", "first"), name="one_episode_per_start"),
                    models.UniqueConstraint(fields=("project", "id"), name="episode_within_project"),
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SkillEvidence",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("section", models.CharField(blank=True, max_length=30)),
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
                    "episode",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evidence",
                        to="skills.episode",
                    ),
                ),
                (
                    "memory",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
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
                    "skill",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evidence",
                        to="skills.skill",
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
            name="SkillFile",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("path", models.CharField(max_length=255)),
                ("mime", models.CharField(max_length=100)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("sha256", models.CharField(max_length=64)),
                ("text", models.TextField(blank=True, null=True)),
                ("storage_key", models.CharField(blank=True, db_index=True, max_length=160)),
                ("since", models.PositiveIntegerField(default=1)),
                ("until", models.PositiveIntegerField(blank=True, null=True)),
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
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "skill",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="skills.skill",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("until", None)),
                        fields=("skill", "path"),
                        name="one_file_per_path",
                    ),
                    models.UniqueConstraint(fields=("skill", "path", "since"), name="one_file_per_version"),
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SkillVersion",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("title", models.CharField(max_length=200)),
                ("description", models.CharField(max_length=2000)),
                ("actor", models.CharField(max_length=60)),
                ("reason", models.CharField(max_length=200)),
                ("confidence", models.FloatField(default=1.0)),
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
                    "project",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "skill",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="skills.skill",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("skill", "number"), name="one_skill_version_per_number")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SpaceSkill",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
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
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "skill",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="links",
                        to="skills.skill",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="links",
                        to="skills.learningspace",
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("space", "skill"), name="one_link_per_skill")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SpaceUser",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("identifier", models.CharField(db_collation="C", max_length=255)),
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
                    models.UniqueConstraint(fields=("project", "identifier"), name="one_user_per_identifier"),
                    models.UniqueConstraint(fields=("project", "id"), name="space_user_within_project"),
                    models.UniqueConstraint(fields=("account", "id"), name="space_user_within_account"),
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="skill",
            name="person",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="skills",
                to="skills.spaceuser",
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="person",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sessions",
                to="skills.spaceuser",
            ),
        ),
        migrations.AddField(
            model_name="learningspace",
            name="person",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="spaces",
                to="skills.spaceuser",
            ),
        ),
        migrations.CreateModel(
            name="LearningRecord",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("distilling", "distilling"),
                            ("queued", "queued"),
                            ("skill_writing", "skill_writing"),
                            ("completed", "completed"),
                            ("failed", "failed"),
                        ],
                        default="pending",
                        max_length=14,
                    ),
                ),
                ("error", models.CharField(blank=True, max_length=300)),
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
                (
                    "space",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="records",
                        to="skills.learningspace",
                    ),
                ),
                (
                    "session",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="record",
                        to="skills.session",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("project", "id"), name="learning_record_within_project")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        *[key(*row) for row in KEYS],
        *[wall(table) for table in TABLES],
    ]
