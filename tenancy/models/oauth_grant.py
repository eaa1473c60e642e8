"""Table of what members granted to applications by OAuth."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from tenancy.ids import uuid7
from tenancy.models.api_key import ApiKey
from tenancy.models.user import User


class OAuthGrant(models.Model):
    """An application may act for a member in one project; `key` carries project, scopes, limits and revocation.

    Nobody knows the key's secret: the application shows its OAuth tokens. `client_id` is the application's
    registration. Without a policy, as keys themselves: it is read to find out which tenant a token is of.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    client_id = models.CharField(max_length=100)
    key = models.OneToOneField(ApiKey, on_delete=models.CASCADE, related_name="oauth_grant")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "client_id"], name="one_grant_per_application"),
        ]
