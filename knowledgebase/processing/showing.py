"""A file is shown: in one transaction its memories can be recalled, and those of the version before no longer."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q

from knowledgebase.models import Fragment, KnowledgeBase, KnowledgeFile
from knowledgebase.processing.passages import moved_passage, text_of
from knowledgebase.removal.removal import forget_of_base, remove_row
from knowledgebase.values import FileState
from knowledgebase.work.progress import note, tell_memories
from knowledgebase.work.work import Work, is_ours, lock_base
from memories.ingest.passages import move_passages, passages_of, show_passages
from memories.values import Status
from tenancy.isolation.scoping import tenant_scope


def show(work: Work) -> bool:
    """False when there is more to do first, because the file was deleted or passages lost the memories that they had
    from a version before."""
    file = work.file
    with tenant_scope(work.scope):
        base = lock_base(file)
        if base is None or not is_ours(work):
            return False
        file.refresh_from_db(fields=["replaces"])
        fragments = Fragment.objects.within(file.account_id).filter(file=file)
        if fragments.filter(memory=None).exists():
            return False
        linked = {row.memory_id: row for row in fragments.order_by("-ordinal")}
        old = versions_before(file)
        _take_over(work, base, old, linked)
        shown = show_passages(base.cube, file.pk)
        for version in old:
            remove_row(base, version)
        note(file, state=FileState.INDEXING, replaces=None, fragments_done=0)
        tell_memories(base, "refined" if shown else "moved", [key for key in linked if key])
    return True


def is_shown(work: Work) -> bool:
    """Then its memories are everybody's to change and to delete, and are made no second time."""
    return work.file.state == FileState.INDEXING


def _take_over(
    work: Work, base: KnowledgeBase, old: list[KnowledgeFile], linked: dict[UUID | None, Fragment]
) -> None:
    """What the new version says too is its own now; what it does not say goes."""
    file = work.file
    there = passages_of(base.cube, [file.pk, *(version.pk for version in old)])
    status_of = dict(there.values_list("pk", "status"))
    forget_of_base(base, status_of.keys() - linked.keys())
    places = {
        key: moved_passage(file, row, text_of(row))
        for key, row in linked.items()
        if key is not None and status_of.get(key) != Status.GENERATED
    }
    move_passages(base.cube, file.pk, places)


def versions_before(file: KnowledgeFile) -> list[KnowledgeFile]:
    """All that this file replaces: the version before it, those before that, and others that were to replace them.

    The latest first, so that each can be removed before the one that it replaces. What was uploaded later is to replace
    this file in its turn.
    """
    mine = KnowledgeFile.objects.within(file.account_id).select_related("base__cube")
    found: dict[UUID, KnowledgeFile] = {}
    wanted = {file.replaces_id} - {None}
    while wanted:
        rows = mine.filter(Q(pk__in=wanted) | Q(replaces__in=wanted)).exclude(pk=file.pk)
        fresh = {row.pk: row for row in rows if row.pk not in found and _is_older(row, file)}
        found |= fresh
        wanted = {row.replaces_id for row in fresh.values()} - {None} - found.keys()
    later = mine.filter(replaces__in=[*found]).exclude(pk__in=[*found, file.pk])
    later.update(replaces=file)
    return sorted(found.values(), key=lambda row: (row.created_at, row.pk), reverse=True)


def _is_older(row: KnowledgeFile, file: KnowledgeFile) -> bool:
    return (row.created_at, row.pk) < (file.created_at, file.pk)


def end_versions(base: KnowledgeBase, file: KnowledgeFile, but: KnowledgeFile) -> bool:
    """The versions before a file that turned out to say what another one says, but for that one: whether it is one."""
    versions = versions_before(file)
    for version in versions:
        if version.pk != but.pk:
            forget_of_base(base, passages_of(base.cube, [version.pk]).values_list("pk", flat=True))
            remove_row(base, version)
    return any(version.pk == but.pk for version in versions)
