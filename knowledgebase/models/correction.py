"""What people have put right in a knowledge base."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from knowledgebase.models.base import KnowledgeBase, SharedRow
from knowledgebase.values import CorrectionSource
from memories.models import Memory
from tenancy.models import Project, User

SOURCES = [(source.value, source.value) for source in CorrectionSource]


class Correction(SharedRow):
    """One memory of a base replaced, changed or added by what somebody said.

    The wordings are those of the memories and their versions; the words used stay with the person who said them
    (`feedback` is the id of a row of the project that it came `through`) and go with that person.
    """

    base = models.ForeignKey(
        KnowledgeBase,
        on_delete=models.CASCADE,
        related_name="corrections",
        db_constraint=False,
        db_index=False,
    )
    source = models.CharField(max_length=10, choices=SOURCES)
    before = models.ForeignKey(
        Memory, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_constraint=False
    )
    after = models.ForeignKey(
        Memory, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_constraint=False
    )
    version = models.PositiveIntegerField(
        default=0, help_text="Where the memory itself was reworded: the number of the version before."
    )
    through = models.ForeignKey(Project, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    feedback = models.UUIDField(null=True, blank=True)
    message = models.UUIDField(null=True, blank=True)
    made_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    reverted_at = models.DateTimeField(null=True, blank=True)
    reverted_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta(SharedRow.Meta):
        indexes = [models.Index(fields=["base", "-created_at"], name="correction_newest")]
