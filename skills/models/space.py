"""Tables of learning spaces: skills that are learned from attached sessions."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from skills.models.session import Session, SessionTask, SpaceUser
from skills.models.skill import Skill
from skills.values import LearningState, LessonKind, LessonState
from tenancy.isolation.private_fields import PrivateJSON
from tenancy.models import TenantRow

LEARNING_STATES = [(state.value, state.value) for state in LearningState]
LESSON_KINDS = [(kind.value, kind.value) for kind in LessonKind]
LESSON_STATES = [(state.value, state.value) for state in LessonState]


class LearningSpace(TenantRow):
    """Space in which skills are learned from outcomes of sessions. Its row is the lock under which its skills are
    written."""

    person = models.ForeignKey(
        SpaceUser, null=True, blank=True, on_delete=models.CASCADE, related_name="spaces", db_constraint=False
    )
    meta = PrivateJSON(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [models.UniqueConstraint(fields=["project", "id"], name="space_within_project")]
        indexes = [models.Index(fields=["project", "created_at", "id"], name="space_in_order")]


class SpaceSkill(TenantRow):
    """A skill that a space reads and writes."""

    space = models.ForeignKey(
        LearningSpace, on_delete=models.CASCADE, related_name="links", db_constraint=False, db_index=False
    )
    skill = models.ForeignKey(Skill, on_delete=models.CASCADE, related_name="links", db_constraint=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        ordering = ["created_at", "id"]
        constraints = [models.UniqueConstraint(fields=["space", "skill"], name="one_link_per_skill")]
        indexes = [models.Index(fields=["project"], name="space_skill_of_project")]


class LearningRecord(TenantRow):
    """A session attached to a space; a session can be attached to one only."""

    space = models.ForeignKey(
        LearningSpace, on_delete=models.CASCADE, related_name="records", db_constraint=False
    )
    session = models.OneToOneField(
        Session, on_delete=models.CASCADE, related_name="record", db_constraint=False
    )
    status = models.CharField(max_length=14, choices=LEARNING_STATES, default=LearningState.PENDING.value)
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["project", "id"], name="learning_record_within_project")
        ]


class Lesson(TenantRow):
    """Lesson distilled from a finished task, or the preferences of a session, on its way into a space's skills."""

    space = models.ForeignKey(
        LearningSpace, on_delete=models.CASCADE, related_name="lessons", db_constraint=False, db_index=False
    )
    session = models.ForeignKey(
        Session, on_delete=models.CASCADE, related_name="lessons", db_constraint=False
    )
    task = models.ForeignKey(
        SessionTask,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="lessons",
        db_constraint=False,
    )
    kind = models.CharField(max_length=12, choices=LESSON_KINDS)
    content = PrivateJSON(default=dict)
    state = models.CharField(max_length=10, choices=LESSON_STATES, default=LessonState.WAITING.value)
    said_on = models.DateField(null=True, blank=True, help_text="The day that its entries carry.")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        indexes = [
            models.Index(fields=["space", "state", "created_at"], name="lesson_waiting"),
            models.Index(fields=["project"], name="lesson_of_project"),
        ]
