"""Publish a processed file: its memories become searchable in one transaction, those of older versions are removed."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q

from knowledgebase.models import Fragment, KnowledgeBase, KnowledgeFile
from knowledgebase.processing.fragment_text import build_moved_passage, format_passage_text
from knowledgebase.removal.removal import delete_memories_of_base, remove_file_row, remove_locked_file
from knowledgebase.values import FileState
from knowledgebase.work.file_task import FileWork, claimed
from knowledgebase.work.progress import announce_memories, update_file
from memories.ingest.passages import list_passages, move_passages, show_passages
from memories.values import MemoryStatus


def publish_file(work: FileWork) -> bool:
    """Make the memories of a file searchable. Raises `FileDeleted`.

    False when passages lack a memory, because those that they had from an older version were deleted.
    """
    file = work.file
    with claimed(work) as base:
        file.refresh_from_db(fields=["replaces"])
        fragments = Fragment.objects.within(file.account_id).filter(file=file)
        if fragments.filter(memory=None).exists():
            return False
        linked = {row.memory_id: row for row in fragments.order_by("-ordinal")}
        old = list_versions_before(file)
        _take_over(work, base, old, linked)
        shown = show_passages(base.cube, file.pk)
        for version in old:
            remove_file_row(base, version)
        update_file(file, state=FileState.INDEXING, replaces=None, fragments_done=0)
        announce_memories(base, "refined" if shown else "moved", [key for key in linked if key])
    return True


def is_published(work: FileWork) -> bool:
    """Return whether the memories are searchable: users may change and delete them, so they must not be written
    again."""
    return work.file.state == FileState.INDEXING


def _take_over(
    work: FileWork, base: KnowledgeBase, old: list[KnowledgeFile], linked: dict[UUID | None, Fragment]
) -> None:
    """Move memories of older versions that the new one repeats to it, and delete the others."""
    file = work.file
    there = list_passages(base.cube, [file.pk, *(version.pk for version in old)])
    status_of = dict(there.values_list("pk", "status"))
    delete_memories_of_base(base, status_of.keys() - linked.keys())
    places = {
        key: build_moved_passage(file, row, format_passage_text(row))
        for key, row in linked.items()
        if key is not None and status_of.get(key) != MemoryStatus.GENERATED
    }
    move_passages(base.cube, file.pk, places)


def list_versions_before(file: KnowledgeFile) -> list[KnowledgeFile]:
    """All older versions that this file replaces, directly or through others.

    The latest first, so that each can be removed before the one that it replaces. Versions that were uploaded later
    are made to replace this file.
    """
    mine = KnowledgeFile.objects.within(file.account_id).select_related("base__cube")
    versions: dict[UUID, KnowledgeFile] = {}
    wanted = {file.replaces_id} - {None}
    while wanted:
        rows = mine.filter(Q(pk__in=wanted) | Q(replaces__in=wanted)).exclude(pk=file.pk)
        fresh = {row.pk: row for row in rows if row.pk not in versions and _is_older(row, file)}
        versions |= fresh
        wanted = {row.replaces_id for row in fresh.values()} - {None} - versions.keys()
    later = mine.filter(replaces__in=[*versions]).exclude(pk__in=[*versions, file.pk])
    later.update(replaces=file)
    return sorted(versions.values(), key=lambda row: (row.created_at, row.pk), reverse=True)


def _is_older(row: KnowledgeFile, file: KnowledgeFile) -> bool:
    return (row.created_at, row.pk) < (file.created_at, file.pk)


def end_versions(base: KnowledgeBase, file: KnowledgeFile, but: KnowledgeFile) -> bool:
    """Remove the older versions of a file that repeats `but`; returns whether `but` is one of them, which stays."""
    versions = list_versions_before(file)
    for version in versions:
        if version.pk != but.pk:
            remove_locked_file(base, version)
    return any(version.pk == but.pk for version in versions)
