"""What was said, verbatim, in order."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.fields.json import KT
from django.utils import timezone

from memories.models.cube import MemCube
from tenancy.isolation.private_fields import PrivateArray, PrivateJSON, PrivateText
from tenancy.models import TenantRow


class Conversation(TenantRow):
    """One thread, named by the client's `conversation_id` within one subject's cube."""

    cube = models.ForeignKey(
        MemCube, on_delete=models.CASCADE, related_name="conversations", db_constraint=False
    )
    external_id = models.CharField(max_length=100, db_collation="C")
    message_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        indexes = [
            models.Index(fields=["project", "-updated_at", "-id"], name="conversation_newest"),
            models.Index(fields=["cube", "-updated_at"], name="conversation_of_cube"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "cube", "external_id"], name="one_conversation_per_id"
            ),
            models.UniqueConstraint(fields=["project", "id"], name="conversation_within_project"),
        ]


class Message(TenantRow):
    """One turn, stored as it came. `content` is the client's own JSON; `text` the plain text of it.

    `cleared_at` is when the project's retention took its words: then it says nothing any more. `withheld_at` is when a
    memory that came from it was deleted: nothing is made of it anew.
    """

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="messages", db_constraint=False, db_index=False
    )
    position = models.PositiveIntegerField()
    role = models.CharField(max_length=10)
    content = PrivateJSON(null=True)
    text = PrivateText()
    chat_time = models.TextField(blank=True)
    said_at = models.DateTimeField()
    extra = PrivateJSON(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    cleared_at = models.DateTimeField(null=True, blank=True)
    withheld_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantRow.Meta):
        ordering = ["position"]
        indexes = [
            models.Index(
                fields=["project", "created_at"], name="message_to_clear", condition=Q(cleared_at=None)
            ),
            # Said in a group: by whom, so that it is found with them.
            models.Index(
                F("project"),
                KT("extra__role_id"),
                name="message_by_role",
                condition=Q(extra__has_key="role_id"),
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "position"], name="message_order"),
            models.UniqueConstraint(fields=["project", "id"], name="message_within_project"),
        ]


class Intake(TenantRow):
    """Options of one `add/message` request: they hold for every memory made of its messages."""

    conversation = models.ForeignKey(
        Conversation, on_delete=models.CASCADE, related_name="intakes", db_constraint=False
    )
    agent_id = models.CharField(max_length=100, blank=True)
    app_id = models.CharField(max_length=100, blank=True)
    tags = PrivateArray(models.TextField(), default=list)
    info = PrivateJSON(default=dict)
    allow_public = models.BooleanField(default=False)
    knowledge_bases = ArrayField(models.CharField(max_length=100), default=list)
    source = models.CharField(max_length=60, blank=True)
    first = models.PositiveIntegerField(help_text="Position of the first message.")
    last = models.PositiveIntegerField(help_text="Position of the last message.")
    fetch_ms = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Milliseconds that fetching its addresses took."
    )
    freezes = models.BooleanField(default=False, db_default=False, help_text="Its memories are frozen.")
    expires_on = models.DateField(null=True, blank=True)
    dated_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="What its memories have as their time of creation; None: when they are made.",
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        indexes = [
            models.Index(fields=["project"], name="intake_of_project"),
            models.Index(fields=["project", "agent_id"], name="intake_of_agent", condition=~Q(agent_id="")),
            models.Index(fields=["project", "app_id"], name="intake_of_app", condition=~Q(app_id="")),
        ]


class Feedback(TenantRow):
    """A correction in a person's own words, waiting to be applied by its task.

    `conversation_key` is the id that the client sent; `conversation` is None where no message of it is held.
    """

    cube = models.ForeignKey(MemCube, on_delete=models.CASCADE, related_name="feedback", db_constraint=False)
    conversation = models.ForeignKey(
        Conversation, null=True, on_delete=models.CASCADE, related_name="feedback", db_constraint=False
    )
    conversation_key = models.CharField(
        max_length=100, blank=True, default="", db_default="", db_collation="C"
    )
    text = PrivateText()
    feedback_time = models.TextField(
        blank=True, default="", db_default="", help_text="As the client sent it."
    )
    said_at = models.DateTimeField()
    agent_id = models.CharField(max_length=100, blank=True)
    app_id = models.CharField(max_length=100, blank=True)
    allow_public = models.BooleanField(default=False)
    knowledge_bases = ArrayField(models.CharField(max_length=100), default=list)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        indexes = [models.Index(fields=["project"], name="feedback_of_project")]
