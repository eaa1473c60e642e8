"""Track which pepper the digests of API keys use, so that an old one can be retired."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from tenancy.models import ApiKey

LATELY = timedelta(days=30)


def derive_pepper_id(pepper: str) -> str:
    """Identify a pepper without revealing anything of it."""
    return hashlib.sha256(b"engram pepper id:" + pepper.encode()).hexdigest()[:16]


def get_current_pepper_id() -> str:
    return derive_pepper_id(settings.KEY_PEPPERS[0])


@dataclass(frozen=True, slots=True)
class PepperUse:
    """Numbers of live keys that need only the first pepper, and of those that need another one.

    `unknown` ones were not shown since digests are marked; `idle` ones of both were not used for 30 days.
    """

    current: int
    older: int
    unknown: int
    idle: int

    @property
    def depending(self) -> int:
        return self.older + self.unknown


def count_pepper_use() -> PepperUse:
    live = _list_live_keys()
    now = timezone.now()
    mine = get_current_pepper_id()
    rotating = Q(old_until__gt=now) & ~Q(old_digest=None)
    current = Q(pepper_id=mine) & (~rotating | Q(old_pepper_id=mine))
    unknown = ~current & (Q(pepper_id="") | (rotating & Q(old_pepper_id="")))
    depending = live.exclude(current)
    return PepperUse(
        current=live.filter(current).count(),
        older=depending.exclude(unknown).count(),
        unknown=depending.filter(unknown).count(),
        idle=depending.exclude(last_used_at__gte=now - LATELY).count(),
    )


def _list_live_keys() -> QuerySet[ApiKey]:
    now = timezone.now()
    return ApiKey.objects.filter(revoked_at=None).exclude(expires_at__lte=now)
