"""Signed links to a skill or one of its files, which end by themselves and need no key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.utils import timezone

from skills.models import Skill
from tenancy.errors import NotFound

SALT = "skills.material"
FILE_SALT = "skills.session_file"
# How long a link works: unless something else is asked for, and at most a week, as links of S3 do.
SECONDS, MOST_SECONDS = 900, 7 * 24 * 3_600


@dataclass(frozen=True, slots=True)
class Material:
    """Target of a link: a skill that this project may see, or one of its files."""

    project: UUID
    skill: UUID
    path: str


@dataclass(frozen=True, slots=True)
class SessionFile:
    """Target of a link to a session file: a message and the index of its part."""

    project: UUID
    message: UUID
    part: int


def build_signed_url(
    skill: Skill, path: str = "", seconds: int = SECONDS, through: UUID | None = None
) -> str:
    """Return an absolute URL that works for `seconds`, from 1 to `MOST_SECONDS`.

    It opens what the project `through` which it was asked for may see then: a knowledge base's skill belongs to no
    project, and its link is worth nothing once the base is unlinked.
    """
    until = timezone.now() + timedelta(seconds=seconds)
    signed = [str(through or skill.project_id), str(skill.pk), path, int(until.timestamp())]
    return f"{settings.PUBLIC_URL}/material/{signing.dumps(signed, salt=SALT)}"


def open_link(token: str) -> Material:
    """Verify a link and return its target. Raises `NotFound` for an expired or unsigned one."""
    try:
        project, skill, path, until = signing.loads(token, salt=SALT)
        link = Material(UUID(project), UUID(skill), path)
    except (signing.BadSignature, ValueError, TypeError):
        raise NotFound("this link is not valid, or is over") from None
    if timezone.now().timestamp() > until:
        raise NotFound("this link is not valid, or is over")
    return link


def build_signed_file_url(project_id: UUID, message_id: UUID, part: int, until: datetime) -> str:
    """Return an absolute URL that works until then."""
    signed = [str(project_id), str(message_id), part, int(until.timestamp())]
    return f"{settings.PUBLIC_URL}/material/message/{signing.dumps(signed, salt=FILE_SALT)}"


def open_file_link(token: str) -> SessionFile:
    """Verify a link and return its target. Raises `NotFound` for an expired or unsigned one."""
    try:
        project, message, part, until = signing.loads(token, salt=FILE_SALT)
        link = SessionFile(UUID(project), UUID(message), int(part))
    except (signing.BadSignature, ValueError, TypeError):
        raise NotFound("this link is not valid, or is over") from None
    if timezone.now().timestamp() > until:
        raise NotFound("this link is not valid, or is over")
    return link
