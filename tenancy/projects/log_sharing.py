"""Public links to single requests of the log: allowed by an owner, of seven days, revocable.

A link shows what `RequestLog` says without bodies and without ids of anybody. Its token names the project and the row
that allows it, signed; without that row, past its time, or while the project allows no links, it is no link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import LogShare, Project, RequestLog, User
from tenancy.projects.projects import change_settings

SETTING = "log_sharing"
KEPT = timedelta(days=7)
_signer = Signer(salt="tenancy.log_share")


@dataclass(frozen=True, slots=True)
class SharedRequest:
    """A request that a link leads to."""

    entry: RequestLog
    expires_at: Any


def allows_links(project: Project) -> bool:
    return bool(project.settings.get(SETTING, {}).get("public_links", False))


def allow_links(project: Project, actor: User, *, allowed: bool) -> None:
    """Allow or forbid public links. Where they are no longer allowed, those that exist end for good."""
    change_settings(project, SETTING, as_setting(public_links=allowed), actor)
    if not allowed:
        with tenant_scope(project):
            LogShare.objects.within(project).delete()


def as_setting(*, public_links: bool) -> Mapping[str, Any]:
    return {"public_links": public_links}


def find_share(project: Project, entry: RequestLog) -> LogShare | None:
    """Find the link of a log entry, inside the project's tenant scope."""
    share: LogShare | None = (
        LogShare.objects.within(project)
        .filter(request_id=entry.request_id, expires_at__gt=timezone.now())
        .first()
    )
    return share


def share_request(project: Project, entry: RequestLog, actor: User) -> LogShare:
    """The link of a request, for seven days from now; inside the project's scope."""
    row: LogShare
    row, _ = LogShare.objects.within(project).update_or_create(
        request_id=entry.request_id,
        defaults={"expires_at": timezone.now() + KEPT},
        create_defaults={
            "account_id": project.account_id,
            "project": project,
            "created_by": actor,
            "expires_at": timezone.now() + KEPT,
        },
    )
    record_event(project.account, actor, "request.shared", entry, project=project)
    return row


def revoke_share(project: Project, entry: RequestLog, actor: User) -> None:
    """Revoke the link of a log entry, inside the project's tenant scope."""
    LogShare.objects.within(project).filter(request_id=entry.request_id).delete()
    record_event(project.account, actor, "request.share_revoked", entry, project=project)


def build_share_token(share: LogShare) -> str:
    return _signer.sign(f"{share.project_id.hex}{share.pk.hex}").replace(":", ".")


def find_shared_request(token: str) -> SharedRequest | None:
    """Find what a link leads to, for anybody who has it; None for every other token."""
    try:
        signed = _signer.unsign(token.replace(".", ":"))
        project_id, share_id = UUID(signed[:32]), UUID(signed[32:])
    except (BadSignature, ValueError):
        return None
    project = Project.objects.filter(pk=project_id, deleting_at=None, archived_at=None).first()
    if project is None or not allows_links(project):
        return None
    with tenant_scope(project):
        share = LogShare.objects.within(project).filter(pk=share_id, expires_at__gt=timezone.now()).first()
        if share is None:
            return None
        entries = RequestLog.objects.within(project).filter(request_id=share.request_id)
        entry = entries.defer("request_body", "response_body").first()
    return SharedRequest(entry, share.expires_at) if entry else None
