"""A file of a knowledge base and the fragments it was cut into."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from knowledgebase.models.base import KnowledgeBase, SharedRow
from knowledgebase.values import PUBLIC_STATUS, FileState, FileType
from memories.models import Memory
from tenancy.isolation.private_fields import PrivateChar, PrivateText
from tenancy.models import Project, User

TYPES = [(kind.value, kind.value) for kind in FileType]
STATES = [(state.value, state.value) for state in FileState]


class KnowledgeFile(SharedRow):
    """A document or skill file, and how far it is.

    One of an address has no `storage_key` until it was fetched. `fragments_total` is known when it was split;
    `fragments_done` counts those that are memories, from `indexing` on those that are embedded. `replaces` is the file
    of the same name that stays in use until this one is shown; `same_as` the one whose content this has too;
    `copied_from` the skill that it, or a version before it, is a copy of.
    `through` is the project whose key or member brought it; `reason` and `cure` say why it failed.
    """

    base = models.ForeignKey(
        KnowledgeBase, on_delete=models.CASCADE, related_name="files", db_constraint=False, db_index=False
    )
    type = models.CharField(max_length=10, choices=TYPES, default=FileType.DOCUMENT.value)
    name = models.CharField(max_length=255, blank=True)
    url = PrivateText(blank=True)
    storage_key = models.CharField(max_length=160, blank=True, db_index=True)
    kind = models.CharField(max_length=8, blank=True)
    media_type = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    pages = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=STATES, default=FileState.QUEUED.value)
    fragments_total = models.PositiveIntegerField(default=0)
    fragments_done = models.PositiveIntegerField(default=0)
    error_code = models.CharField(max_length=10, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    cure = models.CharField(max_length=300, blank=True)
    replaces = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="replaced_by",
        db_constraint=False,
    )
    same_as = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="repeats",
        db_constraint=False,
    )
    copied_from = models.UUIDField(null=True, blank=True)
    through = models.ForeignKey(Project, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    uploaded_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    uploaded_with = models.CharField(max_length=40, blank=True, help_text="The hint of the API key.")
    runs = models.PositiveIntegerField(default=0, help_text="How often it was asked to be processed.")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta(SharedRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["account", "id"], name="knowledge_file_within_account"),
        ]
        indexes = [
            models.Index(fields=["base", "-created_at"], name="knowledge_file_newest"),
            models.Index(fields=["base", "sha256"], name="knowledge_file_by_hash"),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def public_status(self) -> str:
        return PUBLIC_STATUS[FileState(self.state)]

    @property
    def memory_count(self) -> int:
        return self.fragments_total if self.state == FileState.INDEXING else self.fragments_done


class Fragment(SharedRow):
    """A passage of a document, in its order, and the memory that it became.

    `text` is the document's own; its memory says its heading and `context`, what leads up to it, too. A passage that
    the same file says twice is one memory.
    """

    file = models.ForeignKey(
        KnowledgeFile, on_delete=models.CASCADE, related_name="fragments", db_constraint=False, db_index=False
    )
    ordinal = models.PositiveIntegerField()
    page = models.PositiveIntegerField(default=0)
    heading = PrivateChar(max_length=300, blank=True)
    text = PrivateText()
    context = PrivateText(blank=True, default="", db_default="")
    memory = models.ForeignKey(
        Memory,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="fragments",
        db_constraint=False,
    )

    class Meta(SharedRow.Meta):
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["file", "ordinal"], name="one_fragment_per_place"),
        ]
        indexes = [models.Index(fields=["account"], name="fragment_of_account")]
