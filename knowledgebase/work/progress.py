"""Progress of a file: stored at each step, and announced to open pages after the commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from knowledgebase.models import KnowledgeBase, KnowledgeFile
from knowledgebase.signals import file_changed
from knowledgebase.values import FileState
from memories.cubes.announcements import announce_changed_memories
from memories.models import CubeGrant
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.models import Project

ORDER = {state: place for place, state in enumerate(FileState)}
FINAL = frozenset({FileState.COMPLETED, FileState.FAILED})


def is_past(file: KnowledgeFile, state: FileState) -> bool:
    return ORDER[FileState(file.state)] >= ORDER[state]


def update_file(file: KnowledgeFile, **fields: Any) -> None:
    """Store these fields of the row and announce them, in the caller's transaction."""
    fields["updated_at"] = timezone.now()
    for name, value in fields.items():
        setattr(file, name, value)
    KnowledgeFile.objects.within(file.account_id).filter(pk=file.pk).update(**fields)
    announce_file(file)


def finish_file(file: KnowledgeFile, state: FileState, **fields: Any) -> None:
    """Store the final state of a file, also for the files that repeat it."""
    ended = {"error_code": "", "reason": "", "cure": ""} | fields | {"state": state}
    update_file(file, finished_at=timezone.now(), **ended)
    repeats = KnowledgeFile.objects.within(file.account_id).filter(same_as=file).select_related("base")
    for other in repeats.exclude(state=state):
        update_file(other, finished_at=timezone.now(), **ended)


def announce_file(file: KnowledgeFile) -> None:
    facts = {
        "base_id": file.base.public_id,
        "file_id": str(file.pk),
        "state": str(file.state),
        "done": file.fragments_done,
        "total": file.fragments_total,
    }
    base = file.base
    _send_after_commit(lambda: file_changed.send_robust(None, project_ids=_list_reader_groups(base), **facts))


def announce_memories(base: KnowledgeBase, operation: str, keys: Sequence[UUID]) -> None:
    """Announce changed memories to every project that the base is linked to."""
    changed = list(keys)

    def send() -> None:
        for project_id in _list_reader_groups(base):
            announce_changed_memories(UUID(project_id), operation, changed)

    _send_after_commit(send)


def _send_after_commit(send: Callable[[], object]) -> None:
    """Robust, because announcements may be lost, but other commit hooks such as keeping a stored file may not."""
    transaction.on_commit(send, robust=True)


def _list_reader_groups(base: KnowledgeBase) -> list[str]:
    """Projects that the base is linked to, read in the account's scope: a project sees only its own grants."""
    with tenant_scope(Scope(base.account_id, None)):
        grants = CubeGrant.objects.within(Project.objects.filter(account=base.account_id))
        return [str(key) for key in grants.filter(cube=base.cube_id).values_list("project_id", flat=True)]
