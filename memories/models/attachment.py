"""Table of files and images in messages, with their progress."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from memories.models.conversation import Message
from memories.models.cube import MemCube
from memories.values import AttachmentState
from tenancy.isolation.private_fields import PrivateJSON, PrivateText
from tenancy.models import TenantRow

STATES = [(state.value, state.value) for state in AttachmentState]


class Attachment(TenantRow):
    """One part of a message that is a file.

    Inline files are stored before the message is; those of an address when the worker has fetched them, until
    then `storage_key` is empty. Subjects of one request share a stored file. `done` counts the drafts that are
    dealt with already: the work on a long document goes on where it was left.
    """

    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, related_name="attachments", db_constraint=False, db_index=False
    )
    cube = models.ForeignKey(
        MemCube, on_delete=models.CASCADE, related_name="attachments", db_constraint=False
    )
    part = models.PositiveIntegerField(help_text="Index in the message's content.")
    is_image = models.BooleanField(default=False)
    name = models.CharField(max_length=255, blank=True)
    url = PrivateText(blank=True)
    storage_key = models.CharField(max_length=160, blank=True, db_index=True)
    kind = models.CharField(max_length=8, blank=True)
    media_type = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    pages = models.PositiveIntegerField(default=0)
    facts = PrivateJSON(default=dict)
    state = models.CharField(max_length=10, choices=STATES, default=AttachmentState.WAITING.value)
    done = models.PositiveIntegerField(default=0)
    error_code = models.CharField(max_length=10, blank=True)
    error_text = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["message", "part"], name="one_attachment_per_part"),
            models.UniqueConstraint(fields=["project", "id"], name="attachment_within_project"),
        ]
