"""Delete empty cubes that earlier versions left of erased end users and agents."""

from __future__ import annotations

from memories.lifecycle.erase_subject import drop_if_empty
from memories.models import MemCube
from memories.values import SUBJECT_KINDS
from tenancy.isolation.scoping import tenant_scope
from tenancy.models import Project
from tenancy.runtime.batching import run_for_each_owner


def clear_erased_cubes() -> int:
    """One round over all projects. May be killed at any time: what is left is left to the next."""
    return run_for_each_owner("clear_erased_cubes", Project.objects.all(), _clear_project)


def _clear_project(project: Project) -> int:
    with tenant_scope(project):
        # Versions that left them counted deletions there; nobody else does for such cubes.
        left = MemCube.objects.within(project).filter(owner_kind__in=SUBJECT_KINDS, epoch__gt=0)
        keys = list(left.values_list("pk", flat=True))
    cleared = 0
    for key in keys:
        with tenant_scope(project):
            cleared += drop_if_empty(project, key)
    return cleared
