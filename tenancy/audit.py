"""Who changed what in the console."""

from __future__ import annotations

from typing import Any

from django.db import models

from tenancy.models import Account, AuditEvent, Project, User
from tenancy.scoping import Scope, active_scope, tenant_scope


def record(
    account: Account,
    actor: User | None,
    action: str,
    subject: models.Model,
    *,
    project: Project | None = None,
    detail: dict[str, Any] | None = None,
) -> None:
    """Writes one line; `detail` says what changed and never holds content or secrets."""
    event = AuditEvent(
        account=account,
        project=project,
        actor=actor,
        action=action,
        object_kind=subject._meta.model_name or "",
        object_id=str(subject.pk),
        detail=detail or {},
    )
    with tenant_scope(active_scope() or Scope.of_account(account)):
        event.save(force_insert=True)
