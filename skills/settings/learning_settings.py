"""Project settings of the session learner."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from skills.merge_meta import merge_meta
from tenancy.audit.log import record_event
from tenancy.errors import InvalidParameters, RequiredFieldEmpty
from tenancy.models import Project, User

SECTION = "acontext"
CRITERIA = ("task_success_criteria", "task_failure_criteria")
MAX_CRITERION = 2_000


def load_learning_configs(project: Project) -> dict[str, Any]:
    """As they are now."""
    stored: dict[str, Any] = Project.objects.get(pk=project.pk).settings.get(SECTION, {})
    return stored


def change_configs(project: Project, changes: dict[str, Any], actor: User | None) -> dict[str, Any]:
    """The configs afterwards: given keys replaced, null takes a key away.

    Without an actor the request's key is who did it. The audit log names the keys, for the values are a client's words.
    """
    if not changes:
        raise RequiredFieldEmpty("at least one key")
    _refuse_bad_criteria(changes)
    with transaction.atomic():
        current = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        before = current.settings.get(SECTION, {})
        configs = merge_meta(before, changes, "configs")
        if configs != before:
            current.settings = {**current.settings, SECTION: configs}
            current.save(update_fields=["settings"])
            changed = {key for key in before | configs if before.get(key) != configs.get(key)}
            detail = {"section": SECTION, "keys": sorted(changed)}
            record_event(project.account, actor, "project.settings_changed", project, detail=detail)
    return configs


def _refuse_bad_criteria(changes: dict[str, Any]) -> None:
    for name in CRITERIA:
        criterion = changes.get(name)
        if criterion is None:
            continue
        if not isinstance(criterion, str):
            raise InvalidParameters(f"{name}: must be a string")
        if len(criterion) > MAX_CRITERION:
            raise InvalidParameters(f"{name}: at most {MAX_CRITERION} characters")
