"""A skill with its files, versions and evidence."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone
from pgvector.django import VectorField

from memories.models import Conversation, MemCube, Memory
from skills.models.session import SpaceUser
from skills.values import SkillOrigin, SkillState
from tenancy.ids import uuid7
from tenancy.isolation.private_fields import PrivateChar, PrivateJSON, PrivateText
from tenancy.isolation.scoping import OwnedQuerySet, ScopedManager
from tenancy.models import Account, Project, TenantRow

ORIGINS = [(origin.value, origin.value) for origin in SkillOrigin]
STATES = [(state.value, state.value) for state in SkillState]


class SkillRow(models.Model):
    """A row of a skill. One of a knowledge base has no project: the account's projects share it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )

    owner = "account"
    objects = ScopedManager()
    every = OwnedQuerySet.as_manager()

    class Meta:
        abstract = True
        default_manager_name = "every"


class Skill(SkillRow):
    """A reusable method: a package of files with a SKILL.md on top.

    `name` is safe in paths, `title` what its author wrote. `value` holds the sections of SKILL.md (name, description,
    procedure, experience, preferences, examples, additional_information). `cube` says whose it is: an end user's, a
    project's public one, a knowledge base's; `memory` is the row of that cube by which searches find it, and is there
    only while the skill is active. `source_file` is the id of the knowledge base's file that it was uploaded as.
    Skills that only learning spaces use have no cube.
    """

    cube = models.ForeignKey(
        MemCube,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="skills",
        db_constraint=False,
        db_index=False,
    )
    person = models.ForeignKey(
        SpaceUser, null=True, blank=True, on_delete=models.CASCADE, related_name="skills", db_constraint=False
    )
    memory = models.OneToOneField(
        Memory, null=True, blank=True, on_delete=models.SET_NULL, related_name="skill", db_constraint=False
    )
    origin = models.CharField(max_length=10, choices=ORIGINS)
    state = models.CharField(max_length=10, choices=STATES, default=SkillState.ACTIVE.value)
    name = PrivateChar(max_length=200)
    title = PrivateChar(max_length=200)
    description = PrivateChar(max_length=2000)
    value = PrivateJSON(default=dict)
    meta = PrivateJSON(null=True, blank=True)
    language = models.CharField(max_length=8, default="en")
    confidence = models.FloatField(default=1.0)
    version = models.PositiveIntegerField(default=1)
    source_file = models.UUIDField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(SkillRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["account", "id"], name="skill_within_account"),
            models.UniqueConstraint(
                fields=["source_file"], condition=~Q(source_file=None), name="one_skill_per_file"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-created_at"], name="skill_newest"),
            models.Index(fields=["cube", "state"], name="skill_of_cube"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class SkillFile(SkillRow):
    """A file of a skill in the versions `since` to `until` (None: it is there now).

    Text is kept here; everything else in the storage, under a key that versions share.
    """

    skill = models.ForeignKey(
        Skill, on_delete=models.CASCADE, related_name="files", db_constraint=False, db_index=False
    )
    path = models.CharField(max_length=255)
    mime = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64)
    text = PrivateText(null=True, blank=True)
    storage_key = models.CharField(max_length=160, blank=True, db_index=True)
    since = models.PositiveIntegerField(default=1)
    until = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(SkillRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["skill", "path"], condition=Q(until=None), name="one_file_per_path"
            ),
            models.UniqueConstraint(fields=["skill", "path", "since"], name="one_file_per_version"),
        ]
        indexes = [models.Index(fields=["project"], name="skill_file_of_project")]


class SkillVersion(SkillRow):
    """A version of a skill: what changed, who changed it and why."""

    skill = models.ForeignKey(
        Skill, on_delete=models.CASCADE, related_name="versions", db_constraint=False, db_index=False
    )
    number = models.PositiveIntegerField()
    title = PrivateChar(max_length=200)
    description = PrivateChar(max_length=2000)
    actor = models.CharField(max_length=60)
    reason = PrivateChar(max_length=200)
    confidence = models.FloatField(default=1.0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(SkillRow.Meta):
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["skill", "number"], name="one_skill_version_per_number")
        ]
        indexes = [models.Index(fields=["project"], name="skill_version_of_project")]


class Episode(TenantRow):
    """A stretch of a conversation in which one task was worked on, found while skills are generated.

    `embedding` is of what the user asked for; episodes of one end user that are alike become one skill.
    """

    cube = models.ForeignKey(MemCube, on_delete=models.CASCADE, related_name="episodes", db_constraint=False)
    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="episodes", db_constraint=False, db_index=False
    )
    first = models.PositiveIntegerField(help_text="Position of its first message.")
    last = models.PositiveIntegerField(help_text="Position of its last message.")
    domain = PrivateChar(max_length=100, blank=True)
    findings = PrivateJSON(default=dict)
    language = models.CharField(max_length=8, default="en")
    weight = models.FloatField(default=0.0)
    embedding = VectorField(null=True, blank=True)
    embedding_model = models.CharField(max_length=80, blank=True)
    skill = models.ForeignKey(
        Skill, null=True, blank=True, on_delete=models.SET_NULL, related_name="episodes", db_constraint=False
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["conversation", "first"], name="one_episode_per_start"),
            models.UniqueConstraint(fields=["project", "id"], name="episode_within_project"),
        ]


class SkillEvidence(TenantRow):
    """Evidence for a version of a skill: an episode, or a memory of the same cube."""

    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="evidence", db_constraint=False)
    version = models.PositiveIntegerField(default=1)
    episode = models.ForeignKey(
        Episode, null=True, blank=True, on_delete=models.CASCADE, related_name="evidence", db_constraint=False
    )
    memory = models.ForeignKey(
        Memory, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    section = models.CharField(max_length=30, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        indexes = [models.Index(fields=["project"], name="skill_evidence_of_project")]


def get_owner_fields(skill: Skill) -> dict[str, Any]:
    """The tenant columns of a row that hangs on this skill."""
    return {"account_id": skill.account_id, "project_id": skill.project_id}
