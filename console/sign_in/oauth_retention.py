"""Delete expired OAuth tokens, and registered applications that nobody has approved."""

from __future__ import annotations

from datetime import timedelta

from allauth.idp.oidc.models import Client, Token
from django.db.models import Exists, OuterRef
from django.utils import timezone

from tenancy.models import OAuthGrant

# Anybody may register an application; between that and the consent of a member there are minutes.
UNUSED_FOR = timedelta(days=2)


def clear_oauth() -> int:
    """Delete what is of no use any more; returns how many rows went."""
    tokens, _ = Token.objects.expired().delete()
    granted = OAuthGrant.objects.filter(client_id=OuterRef("pk"))
    tokened = Token.objects.filter(client=OuterRef("pk"))
    unused = Client.objects.filter(created_at__lt=timezone.now() - UNUSED_FOR)
    unused = unused.exclude(grant_types=Client.GrantType.DEVICE_CODE)  # our own command line
    clients, _ = unused.exclude(Exists(granted)).exclude(Exists(tokened)).delete()
    return tokens + clients
