"""The table of model providers that projects configure."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from tenancy.models.project import Project, TenantRow


class ModelProvider(TenantRow):
    """A server with OpenAI's `/chat/completions`. Its key is encrypted; `key_id` names our encryption key."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="+", db_index=False)
    base_url = models.CharField(max_length=300)
    model = models.CharField(max_length=120)
    chat_models = ArrayField(models.CharField(max_length=120), default=list, db_default=[])
    vision_model = models.CharField(max_length=120, blank=True, default="", db_default="")
    encrypted_key = models.BinaryField(null=True, editable=False, db_column="sealed_key")
    key_id = models.CharField(max_length=16, blank=True, default="", db_default="")
    last_four = models.CharField(max_length=4, blank=True, default="", db_default="")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantRow.Meta):
        indexes = [models.Index(fields=["account"], name="provider_of_account")]
