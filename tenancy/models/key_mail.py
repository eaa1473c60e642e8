"""Table of mails about API keys."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.models.api_key import ApiKey
from tenancy.models.user import User


class KeyNews(models.TextChoices):
    CREATED = "created"
    ROTATED = "rotated"
    ENDING = "ending"


class KeyMail(models.Model):
    """One mail about a key to one owner. The columns keep the state at the time of the change: the key may have another
    secret by the time the mail is sent.

    Without a policy, as keys themselves: a round over all accounts reads what is due. It holds no tenant's words.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="+")
    recipient = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    news = models.CharField(max_length=10, choices=KeyNews)
    actor = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    hint = models.CharField(max_length=13)
    expires_at = models.DateTimeField(null=True)
    old_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="key_mail_due", condition=models.Q(sent_at=None)),
            models.Index(fields=["created_at"], name="key_mail_by_age"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["key", "recipient", "expires_at"],
                condition=models.Q(news="ending"),
                name="one_reminder_per_expiry",
            )
        ]
