"""Projects: made, renamed, switched to, deleted."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from tenancy.audit import record
from tenancy.errors import InvalidParameters, RequiredFieldEmpty
from tenancy.models import Account, Membership, Project, User


def create_project(account: Account, name: str, description: str, actor: User) -> Project:
    """Raises `InvalidParameters` when the account has a project of that name."""
    name = _clean_name(name)
    try:
        with transaction.atomic():
            project = Project.objects.create(account=account, name=name, description=description.strip())
    except IntegrityError:
        raise InvalidParameters(f"this account has a project named “{name}” already") from None
    record(account, actor, "project.created", project, detail={"name": name})
    return project


def edit_project(project: Project, name: str, description: str, actor: User) -> None:
    before = {"name": project.name, "description": project.description}
    project.name, project.description = _clean_name(name), description.strip()
    try:
        with transaction.atomic():
            project.save(update_fields=["name", "description"])
    except IntegrityError:
        raise InvalidParameters(f"this account has a project named “{project.name}” already") from None
    after = {"name": project.name, "description": project.description}
    record(project.account, actor, "project.edited", project, detail={"before": before, "after": after})


def change_settings(project: Project, section: str, values: dict[str, int], actor: User) -> None:
    """Replaces one section of the project's settings."""
    with transaction.atomic():
        current = Project.objects.select_for_update().get(pk=project.pk)
        before = current.settings.get(section, {})
        if before == values:
            return
        current.settings = {**current.settings, section: values}
        current.save(update_fields=["settings"])
        detail = {"section": section, "before": before, "after": values}
        record(project.account, actor, "project.settings_changed", project, detail=detail)
    project.settings = current.settings


def switch_project(membership: Membership, project: Project) -> None:
    membership.current_project = project
    membership.save(update_fields=["current_project"])


def _clean_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise RequiredFieldEmpty("name")
    if len(name) > 60:
        raise InvalidParameters("name: at most 60 characters")
    return name
