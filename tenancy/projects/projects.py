"""Create, rename, archive and restore projects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters, RequiredFieldEmpty
from tenancy.keys.keys import clear_key_cache
from tenancy.models import Account, Membership, Project, User
from tenancy.signals import search_changed

SEEN_EVERY = timedelta(minutes=5)
# Sections of the settings that searches go by.
SEARCH_SECTIONS = frozenset({"search"})


@transaction.atomic
def create_project(account: Account, name: str, description: str, actor: User) -> Project:
    """Create a project. Raises `InvalidParameters` when the account has one of that name."""
    name = _clean_name(name)
    try:
        with transaction.atomic():
            project = Project.objects.create(account=account, name=name, description=description.strip())
    except IntegrityError:
        _refuse_taken(account, name)
        raise
    record_event(account, actor, "project.created", project, detail={"name": name})
    return project


@transaction.atomic
def edit_project(project: Project, name: str, description: str, actor: User) -> None:
    before = {"name": project.name, "description": project.description}
    project.name, project.description = _clean_name(name), description.strip()
    try:
        with transaction.atomic():
            project.save(update_fields=["name", "description"])
    except IntegrityError:
        _refuse_taken(project.account, project.name)
        raise
    after = {"name": project.name, "description": project.description}
    record_event(project.account, actor, "project.edited", project, detail={"before": before, "after": after})


def _refuse_taken(account: Account, name: str) -> None:
    """Explain a refusal of the database by a taken name, if that was the reason."""
    if Project.objects.here().filter(account=account, name=name).exists():
        raise InvalidParameters(f"this account has a project named “{name}” already") from None


def change_settings(project: Project, section: str, values: Mapping[str, Any], actor: User | None) -> None:
    """Replace one section of the project's settings. Without an actor the request's key is who did it."""
    with transaction.atomic():
        current = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        before = current.settings.get(section, {})
        if before == values:
            return
        current.settings = {**current.settings, section: dict(values)}
        current.save(update_fields=["settings"])
        detail = {"section": section, "before": before, "after": values}
        record_event(project.account, actor, "project.settings_changed", project, detail=detail)
        if section in SEARCH_SECTIONS:
            search_changed.send(None, project=project)
    project.settings = current.settings


def archive_project(project: Project, actor: User) -> bool:
    """Archive: keys are refused within a second, tasks are put on hold, nothing else changes.

    False when archived already.
    """
    return _move_project(project, actor, "project.archived", timezone.now())


def restore_project(project: Project, actor: User) -> bool:
    """Restore an archived project. False when it is active already."""
    return _move_project(project, actor, "project.restored", None)


@transaction.atomic
def _move_project(project: Project, actor: User, action: str, archived_at: datetime | None) -> bool:
    held = Project.objects.here().filter(pk=project.pk, archived_at__isnull=archived_at is not None)
    if not held.update(archived_at=archived_at):
        return False
    record_event(project.account, actor, action, project, detail={"name": project.name})
    transaction.on_commit(clear_key_cache)
    return True


def note_last_project(membership: Membership, project: Project | None = None) -> None:
    """Remember the member's last project, and occasionally the time: the next sign-in opens it."""
    now, changed = timezone.now(), {}
    if project is not None and membership.current_project_id != project.pk:
        membership.current_project = project
        changed["current_project"] = project
    if changed or membership.seen_at is None or membership.seen_at < now - SEEN_EVERY:
        # Not `save`: a member who was just removed has no row any more.
        Membership.objects.filter(pk=membership.pk).update(seen_at=now, **changed)


def _clean_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise RequiredFieldEmpty("name")
    if len(name) > 60:
        raise InvalidParameters("name: at most 60 characters")
    return name
