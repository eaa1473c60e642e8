"""Links by which a skill or one of its files is fetched without a key: signed, short-lived, and for one thing each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.utils import timezone

from skills.models import Skill
from tenancy.errors import NotFound
from tenancy.scoping import Scope

SALT = "skills.material"
SECONDS, LONGEST = 900, 3_600


@dataclass(frozen=True, slots=True)
class Material:
    """What a link opens: a skill of a tenant, or one of its files."""

    scope: Scope
    skill: UUID
    path: str


def signed_url(skill: Skill, path: str = "", seconds: int = SECONDS) -> str:
    """An absolute address that works until `seconds` (an hour at most) are over."""
    until = timezone.now() + timedelta(seconds=max(1, min(seconds, LONGEST)))
    told = [str(skill.account_id), str(skill.project_id or ""), str(skill.pk), path, int(until.timestamp())]
    return f"{settings.PUBLIC_URL}/material/{signing.dumps(told, salt=SALT)}"


def opened(token: str) -> Material:
    """Raises `NotFound`, for an old link as for one that nobody signed."""
    try:
        account, project, skill, path, until = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise NotFound("this link is not valid, or is over") from None
    if timezone.now().timestamp() > until:
        raise NotFound("this link is not valid, or is over")
    return Material(Scope(UUID(account), UUID(project) if project else None), UUID(skill), path)
